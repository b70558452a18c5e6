// SPDX-License-Identifier: BSD-3-Clause
#include "sim/arm_driver/fake_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace wperf::windowsperf::fake {
namespace {

constexpr u32 kKnownFlags = 15;
constexpr u32 kForeignHandle = ~u32{0};  // the handle of a process that was killed

diag::Error crash(Request request, std::string_view text) {
  return {.text = fmt::format("Arm's real driver would crash or corrupt memory here, request {:#x}: {}",
                              static_cast<u32>(request), text),
          .hint = {}};
}

Answer refuse(u32 error) {
  return {.error = error, .bytes = 0};
}

template <typename Struct>
Struct read(std::span<const std::byte> input, usize offset = 0) {
  Struct value{};
  std::memcpy(&value, input.data() + offset, sizeof value);
  return value;
}

Answer put(std::span<std::byte> output, const void* bytes, usize size) {
  std::memcpy(output.data(), bytes, size);
  return {.error = 0, .bytes = size};
}
template <typename Struct>
Answer put(std::span<std::byte> output, const Struct& value) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  return put(output, &value, sizeof value);
}

struct Shape {
  Request request;
  bool needs_lock;
  u32 input;   // the exact size; 0: at least one byte
  u32 output;  // bytes written
};
constexpr Shape kShapes[] = {
    {Request::count_start, true, 152, 0},
    {Request::count_stop, true, 152, 0},
    {Request::count_reset, true, 152, 0},
    {Request::hardware, true, 4, 336},
    {Request::supported_events, true, 4, 934},
    {Request::version, true, 324, 324},
    {Request::assign, true, 0, 0},
    {Request::count_read, true, 152, 4112},
    {Request::dsu_init, true, 4, 2},
    {Request::dsu_read, true, 152, 1040},
    {Request::dmc_init, true, 0, 4},
    {Request::dmc_read, true, 152, 392},
    {Request::sample_sources, true, 0, 0},
    {Request::sample_start, true, 152, 0},
    {Request::sample_stop, true, 152, 16},
    {Request::sample_get, true, 4, 4104},
    {Request::lock_acquire, false, 4, 4},
    {Request::lock_release, false, 4, 4},
    {Request::spe_init, false, 0, 0},
    {Request::spe_get_size, false, 0, 8},
    {Request::spe_get_buffer, false, 0, 0},
    {Request::spe_start, false, 0, 0},
    {Request::spe_stop, false, 0, 0},
};

const Shape* shape_of(u32 code) {
  for (const Shape& shape : kShapes) {
    if (static_cast<u32>(shape.request) == code) return &shape;
  }
  return nullptr;
}

bool takes_core_list(Request request) {
  const Shape* shape = shape_of(static_cast<u32>(request));
  return shape != nullptr && shape->input == sizeof(CoreList);
}

bool wants_one_core(Request request) {
  return request == Request::count_read || request == Request::dsu_read || request == Request::sample_start ||
         request == Request::sample_stop;
}

std::vector<u32> cores_of(const CoreList& list) {
  return {list.numbers, list.numbers + list.count};
}

}  // namespace

FakeDriver::FakeDriver(FakeHardware& hardware, FakeSettings settings)
    : hardware_(hardware), settings_(std::move(settings)), counting_(hardware, parts_) {
  if (settings_.left_locked) owner_ = kForeignHandle;
}

diag::Result<Answer> FakeDriver::control(u32 handle, u32 code, std::span<const std::byte> input,
                                         std::span<std::byte> output) {
  if (crashed_) return diag::Error{.text = "the fake of Arm's driver has crashed before", .hint = {}};
  if (removing_) return refuse(kBadCommand);
  if (input.empty()) return refuse(kInvalidBlockLength);
  if (output.size() > kMostOutput) return refuse(kMoreData);
  const Shape* shape = shape_of(code);
  if (shape == nullptr) return refuse(kInvalidParameter);
  WPERF_CHECK_OK(catch_up());
  if (owner_ == handle && !hardware_.has_counters()) owner_ = kForeignHandle;  // another process took the lock
  if (shape->needs_lock && owner_ != handle) return refuse(kBadCommand);
  if (shape->input != 0 && input.size() != shape->input) return refuse(kInvalidParameter);
  auto answered = answer(shape->request, input, output, handle);
  crashed_ = !answered.has_value();
  return answered;
}

diag::Result<Answer> FakeDriver::answer(Request request, Bytes input, std::span<std::byte> output, u32 handle) {
  // The driver writes first and checks the size of the buffer afterwards.
  const Shape& shape = *shape_of(static_cast<u32>(request));
  const usize channels = request == Request::dmc_read ? std::max<usize>(parts_.dmc_channels.size(), 1) : 1;
  if (output.size() < shape.output * channels) return crash(request, "the answer does not fit");
  if (takes_core_list(request)) {
    const auto list = read<CoreList>(input);
    if (request == Request::dmc_read && list.dmc_channel != kAllChannels &&
        list.dmc_channel >= parts_.dmc_channels.size())
      return refuse(kInvalidParameter);
    if (list.count == 0 || list.count >= 128 || (wants_one_core(request) && list.count != 1))
      return refuse(kInvalidParameter);
    if (request != Request::count_read && list.flags > kKnownFlags) return refuse(kInvalidParameter);
    for (const u32 core : cores_of(list)) {
      if (core >= 128) return refuse(kInvalidParameter);
      if (core >= parts_.cores) return crash(request, fmt::format("there is no core {}", core));
    }
    const bool sampling = request == Request::sample_start || request == Request::sample_stop;
    return sampling ? answer_sampling(request, list, output) : answer_count(request, list, output);
  }
  switch (request) {
    case Request::lock_acquire:
      return take_lock(read<u32>(input), handle, output);
    case Request::lock_release:
      return release_lock(read<u32>(input), handle, output);
    case Request::hardware:
      return put(output, hardware_answer());
    case Request::version:
      return put(output, version_answer(input));
    case Request::assign:
      return assign(input);
    case Request::dsu_init:
      return init_dsu(input, output);
    case Request::dmc_init:
      return init_dmc(input, output);
    case Request::sample_sources:
      return set_sources(input);
    case Request::sample_get:
      return get_samples(input, output);
    case Request::spe_get_size:
      return put(output, u64{0});
    case Request::supported_events:
      return diag::Error{.text = "the fake of Arm's driver has no list of events", .hint = {}};
    default:
      return Answer{};  // SPE requests in a build without SPE succeed and have no effect
  }
}

diag::Result<Answer> FakeDriver::take_lock(u32 action, u32 handle, std::span<std::byte> output) {
  if (action != kLockGet && action != kLockForce) return refuse(kInvalidParameter);
  LockStatus status = LockStatus::acquired;
  if (owner_ != handle) {
    const bool inherits = owner_ != 0;
    if (inherits && action == kLockGet) return put(output, static_cast<u32>(LockStatus::busy));
    WPERF_TRY(const bool taken, hardware_.take_counters(action == kLockForce));
    const bool first = taken && parts_.cores == 0;
    if (first) {
      WPERF_TRY(parts_, hardware_.parts());
    }
    if (!taken) {
      status = LockStatus::busy;
    } else if (parts_.free_counters == 0) {
      hardware_.give_counters_back();
      status = LockStatus::no_counters;
    } else {
      owner_ = handle;
      if (!inherits || first) counting_.forget();
    }
  }
  return put(output, static_cast<u32>(status));
}

diag::Result<Answer> FakeDriver::release_lock(u32 action, u32 handle, std::span<std::byte> output) {
  if (action != kLockRelease) return refuse(kInvalidParameter);
  if (owner_ != handle) return put(output, static_cast<u32>(LockStatus::busy));
  if (sampling_) return crash(Request::lock_release, "sampling was not stopped, so its interrupts continue");
  WPERF_CHECK_OK(counting_.stop());
  hardware_.give_counters_back();
  owner_ = 0;
  return put(output, static_cast<u32>(LockStatus::idle));
}

HardwareAnswer FakeDriver::hardware_answer() const {
  HardwareAnswer answer{};
  answer.pmu_version = static_cast<u8>(parts_.id_aa64dfr0 >> 8 & 0xf);
  answer.fixed_counters = 1;
  answer.free_counters = static_cast<u8>(parts_.free_counters);
  answer.total_counters = static_cast<u8>(parts_.counters);
  answer.vendor = static_cast<u8>(parts_.midr >> 24);
  answer.variant = static_cast<u8>(parts_.midr >> 20 & 0xf);
  answer.architecture = static_cast<u8>(parts_.midr >> 16 & 0xf);
  answer.revision = static_cast<u8>(parts_.midr & 0xf);
  answer.part = static_cast<u16>(parts_.midr >> 4 & 0xfff);
  answer.core_count = static_cast<u16>(parts_.cores);
  answer.midr = parts_.midr;
  answer.id_aa64dfr0 = parts_.id_aa64dfr0;
  std::copy_n(parts_.counter_map.begin(), parts_.free_counters, answer.counter_map);
  answer.counter_map[31] = 31;
  constexpr std::u16string_view kDeviceId =
      u"core.stat=core;core.sample=core;dsu.stat=dsu;dmc.stat=dmc_clk,dmc_clkdiv2";
  std::copy(kDeviceId.begin(), kDeviceId.end(), answer.device_id);
  answer.pmbidr = parts_.pmbidr;
  answer.pmsidr = parts_.pmsidr;
  return answer;
}

VersionBlock FakeDriver::version_answer(Bytes input) const {
  auto answer = read<VersionBlock>(input);  // the driver leaves the bytes after the strings as they were in the input
  answer.major = settings_.major;
  answer.minor = settings_.minor;
  answer.patch = settings_.patch;
  const auto copy = [](std::string_view text, char16_t* to) {
    for (const char letter : text) *to++ = static_cast<char16_t>(letter);
    *to = 0;
  };
  copy("6d15ddfc", answer.git);
  copy(settings_.features, answer.features);
  return answer;
}

diag::Result<Answer> FakeDriver::assign(Bytes input) {
  if (input.size() < sizeof(AssignHeader)) return crash(Request::assign, "shorter than its header");
  const auto header = read<AssignHeader>(input);
  if (header.dmc_channel != kAllChannels && header.dmc_channel >= parts_.dmc_channels.size())
    return crash(Request::assign, fmt::format("there is no channel {}", header.dmc_channel));
  usize at = sizeof header;
  while (at < input.size()) {
    if (input.size() - at < sizeof(EventBlock)) return crash(Request::assign, "half of a list");
    const auto block = read<EventBlock>(input, at);
    at += sizeof block;
    if ((input.size() - at) / sizeof(u16) < block.count) return crash(Request::assign, "a list longer than the input");
    if (block.event_class > 3 || (block.event_class == 0 && block.count > kMostCoreEvents) ||
        (block.event_class == 1 && block.count > kMostDsuEvents))
      return refuse(kInvalidParameter);
    if (block.event_class == 1 && !dsu_ready_) return crash(Request::assign, "the DSU was not set up");
    std::vector<u16> codes(block.count);
    std::memcpy(codes.data(), input.data() + at, codes.size() * sizeof(u16));
    at += codes.size() * sizeof(u16);
    WPERF_CHECK_OK(counting_.assign(header.core, header.filter_bits, block.event_class, codes));
  }
  return Answer{};
}

diag::Result<Answer> FakeDriver::init_dsu(Bytes input, std::span<std::byte> output) {
  const auto setup = read<DsuSetup>(input);
  if (parts_.clusters == 0) return crash(Request::dsu_init, "this machine has no DSU");
  if (setup.clusters != parts_.clusters || setup.cores_per_cluster != parts_.cluster_size)
    return crash(Request::dsu_init, "these are not the clusters of this machine");
  dsu_ready_ = true;
  counting_.set_up_dsu(setup.cores_per_cluster);
  return put(output, DsuCounters{.fixed = 1, .general = static_cast<u8>(parts_.dsu_counters)});
}

diag::Result<Answer> FakeDriver::init_dmc(Bytes input, std::span<std::byte> output) {
  if (input.size() < sizeof(DmcSetupHeader)) return refuse(kInvalidParameter);
  const auto header = read<DmcSetupHeader>(input);
  if (input.size() != sizeof header + 16 * usize{header.channels}) return refuse(kInvalidParameter);
  if (header.channels != parts_.dmc_channels.size()) return crash(Request::dmc_init, "other channels than in ACPI");
  for (usize i = 0; i < header.channels; ++i) {
    const auto first = read<u64>(input, sizeof header + 16 * i);
    const auto last = read<u64>(input, sizeof header + 16 * i + 8);
    const device::DeviceMemory& channel = parts_.dmc_channels[i];
    if (first != channel.base || last != channel.base + channel.size - 1)
      return crash(Request::dmc_init, "physical memory outside all channels");
  }
  dmc_ready_ = true;
  return put(output, DmcCounters{.clk_fixed = 0, .clk_general = 2, .clkdiv2_fixed = 0, .clkdiv2_general = 8});
}

diag::Result<Answer> FakeDriver::answer_count(Request request, const CoreList& list, std::span<std::byte> output) {
  const bool uncore = request == Request::dsu_read || request == Request::dmc_read;
  const u32 flags = uncore || request == Request::count_read ? 0 : list.flags;
  if (((flags & kCountDsu) != 0 || request == Request::dsu_read) && !dsu_ready_)
    return crash(request, "the DSU was not set up");
  if (((flags & kCountDmc) != 0 || request == Request::dmc_read) && !dmc_ready_)
    return crash(request, "the memory channels were not set up");
  if ((flags & kCountDmc) != 0 && list.dmc_channel != kAllChannels && list.dmc_channel >= parts_.dmc_channels.size())
    return crash(request, "there is no such channel");
  const std::vector<u32> cores = cores_of(list);
  switch (request) {
    case Request::count_start:
      WPERF_CHECK_OK(end_sampling());
      WPERF_CHECK_OK(counting_.start(cores, list.flags, list.period_ms, list.dmc_channel));
      return Answer{};
    case Request::count_stop:
      WPERF_CHECK_OK(counting_.stop());
      return Answer{};
    case Request::count_reset:
      counting_.reset(cores, list.flags);
      return Answer{};
    case Request::count_read:
      return put(output, counting_.core_answer(cores.front()));
    case Request::dsu_read:
      return put(output, counting_.dsu_answer(cores.front()));
    default: {
      const std::vector<DmcAnswer> answers = counting_.dmc_answer();
      return put(output, answers.data(), answers.size() * sizeof(DmcAnswer));
    }
  }
}

}  // namespace wperf::windowsperf::fake
