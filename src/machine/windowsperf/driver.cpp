// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windowsperf/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/wperf_driver/driver_call.h"

namespace wperf::windowsperf {
namespace {

// Larger than any answer, and smaller than the size that the driver refuses. The driver writes first and checks the
// size afterwards.
constexpr size_t kRoom = 8192;
constexpr u32 kMostChannels = kRoom / sizeof(DmcAnswer);

template <typename Struct>
std::span<const std::byte> bytes_of(const Struct& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <typename Struct>
void append(std::vector<std::byte>& bytes, const Struct& value) {
  const auto more = bytes_of(value);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

size_t room_of(const CountAnswer& answer) {
  return std::size(answer.events);
}
size_t room_of(const DsuAnswer& answer) {
  return std::size(answer.events);
}
size_t room_of(const SampleAnswer& answer) {
  return std::size(answer.samples);
}

diag::Error bad_answer(Request request, std::string_view what) {
  return {.text = fmt::format("Arm's driver answered request {:#x} {}", static_cast<u32>(request), what),
          .hint = "the driver may be another version than it reports; after an update, restart Windows"};
}

diag::Error not_sent(std::string text) {
  return {.text = std::move(text), .hint = {}};
}

}  // namespace

diag::Error Driver::lost_lock() {
  // The driver also returns this error number while it is being removed. Then it refuses the following request, too.
  u32 action = kLockGet;
  std::vector<std::byte> room(kRoom);
  const auto asked = transport_.control(static_cast<u32>(Request::lock_acquire), bytes_of(action), room);
  if (asked.has_value() && asked.value().error == kBadCommand) {
    return {.text = "Arm's driver is being removed or updated", .hint = "run wperf again when that is finished"};
  }
  u32 status = 0;
  std::memcpy(&status, room.data(), sizeof status);
  if (asked.has_value() && status == static_cast<u32>(LockStatus::acquired)) (void)unlock();
  return wperf_driver::error_of_status(WPERF_LOCK_LOST, 0);
}

diag::Error Driver::refusal(Request request, u32 error) {
  switch (error) {
    case kBadCommand:
      return lost_lock();
    case kInvalidParameter:
      return {
          .text = fmt::format("Arm's driver does not accept request {:#x} from this wperf", static_cast<u32>(request)),
          .hint = "the driver may be another version than its file says; after an update, restart Windows"};
    default:
      return {.text = fmt::format("Arm's driver refused request {:#x} with Windows error {}", static_cast<u32>(request),
                                  error),
              .hint = {}};
  }
}

diag::Result<Answer> Driver::exchange(Request request, std::span<const std::byte> input, std::span<std::byte> output) {
  WPERF_TRY(const Answer answer, transport_.control(static_cast<u32>(request), input, output));
  if (answer.error != 0) return refusal(request, answer.error);
  if (answer.bytes > output.size()) return bad_answer(request, "with more bytes than fit in the buffer");
  return answer;
}

diag::Result<void> Driver::send(Request request, std::span<const std::byte> input) {
  WPERF_TRY(const Answer answer, exchange(request, input, {}));
  (void)answer;
  return {};
}

template <typename Reply>
diag::Result<Reply> Driver::ask(Request request, std::span<const std::byte> input) {
  std::vector<std::byte> room(kRoom);
  WPERF_TRY(const Answer answer, exchange(request, input, room));
  if (answer.bytes != sizeof(Reply))
    return bad_answer(request, fmt::format("with {} bytes instead of {}", answer.bytes, sizeof(Reply)));
  Reply reply;
  std::memcpy(&reply, room.data(), sizeof reply);
  return reply;
}

template <typename Reply>
diag::Result<std::unique_ptr<Reply>> Driver::ask_for_much(Request request, std::span<const std::byte> input) {
  std::vector<std::byte> room(kRoom);
  WPERF_TRY(const Answer answer, exchange(request, input, room));
  if (answer.bytes != sizeof(Reply))
    return bad_answer(request, fmt::format("with {} bytes instead of {}", answer.bytes, sizeof(Reply)));
  auto reply = std::make_unique<Reply>();
  std::memcpy(reply.get(), room.data(), sizeof(Reply));
  if (reply->count > room_of(*reply)) return bad_answer(request, "with more data than the buffer holds");
  return reply;
}

diag::Result<LockStatus> Driver::change_lock(Request request, u32 action) {
  WPERF_TRY(const u32 status, ask<u32>(request, bytes_of(action)));
  if (status > static_cast<u32>(LockStatus::unknown)) return bad_answer(request, fmt::format("with status {}", status));
  return static_cast<LockStatus>(status);
}

diag::Result<LockStatus> Driver::lock(bool force) {
  return change_lock(Request::lock_acquire, force ? u32{kLockForce} : u32{kLockGet});
}

diag::Result<LockStatus> Driver::unlock() {
  return change_lock(Request::lock_release, kLockRelease);
}

diag::Result<HardwareAnswer> Driver::hardware() {
  constexpr u32 kAnything = 0x903;
  WPERF_TRY(const HardwareAnswer answer, ask<HardwareAnswer>(Request::hardware, bytes_of(kAnything)));
  if (answer.core_count == 0) return bad_answer(Request::hardware, "that this machine has no cores");
  if (answer.free_counters > 31 || answer.total_counters > 31 || answer.free_counters > answer.total_counters) {
    return bad_answer(Request::hardware,
                      fmt::format("that {} of {} counters are free", answer.free_counters, answer.total_counters));
  }
  core_count_ = std::min<u32>(answer.core_count, kMostCores);
  return answer;
}

diag::Result<VersionBlock> Driver::version() {
  VersionBlock ours{};
  ours.major = 3;
  ours.minor = 8;
  return ask<VersionBlock>(Request::version, bytes_of(ours));
}

diag::Result<void> Driver::check_core(u32 core) const {
  if (core < core_count_) return {};
  return not_sent(fmt::format("Arm's driver has no core {}", core));
}

diag::Result<CoreList> Driver::core_list(const Scope& scope) const {
  CoreList list{};
  if (scope.cores.empty() || scope.cores.size() > kMostCores)
    return not_sent(
        fmt::format("Arm's driver accepts 1 to {} cores at a time, not {}", kMostCores, scope.cores.size()));
  for (const u32 core : scope.cores) {
    WPERF_CHECK_OK(check_core(core));
    list.numbers[list.count++] = static_cast<u8>(core);
  }
  if (scope.dmc_channel != kAllChannels && scope.dmc_channel >= dmc_channels_)
    return not_sent(fmt::format("Arm's driver has no memory channel {}", scope.dmc_channel));
  if ((scope.flags & kCountDsu) != 0 && dsu_counters_ == 0) return not_sent("the DSU was not set up");
  if ((scope.flags & kCountDmc) != 0 && dmc_channels_ == 0) return not_sent("the memory channels were not set up");
  list.dmc_channel = scope.dmc_channel;
  list.flags = scope.flags;
  return list;
}

diag::Result<void> Driver::stop(const Scope& scope) {
  WPERF_TRY(const CoreList list, core_list(scope));
  return send(Request::count_stop, bytes_of(list));
}

diag::Result<void> Driver::reset(const Scope& scope) {
  WPERF_TRY(const CoreList list, core_list(scope));
  return send(Request::count_reset, bytes_of(list));
}

diag::Result<void> Driver::start(const Scope& scope, u32 period_ms) {
  WPERF_TRY(CoreList list, core_list(scope));
  list.period_ms = period_ms;
  return send(Request::count_start, bytes_of(list));
}

diag::Result<void> Driver::assign(u32 core, u8 dmc_channel, u32 filter_bits, const std::vector<ClassEvents>& lists) {
  constexpr u32 kMost[] = {kMostCoreEvents, kMostDsuEvents, kMostClkEvents, kMostClkdiv2Events};
  if (core != kAllCores) WPERF_CHECK_OK(check_core(core));
  if (dmc_channel != kAllChannels && dmc_channel >= dmc_channels_)
    return not_sent(fmt::format("Arm's driver has no memory channel {}", dmc_channel));
  std::vector<std::byte> bytes;
  append(bytes, AssignHeader{.core = core, .dmc_channel = dmc_channel, .padding = {}, .filter_bits = filter_bits});
  for (const ClassEvents& list : lists) {
    if (list.event_class >= std::size(kMost) || list.codes.empty() || list.codes.size() > kMost[list.event_class])
      return not_sent(fmt::format("Arm's driver has no room for {} events", list.codes.size()));
    append(bytes,
           EventBlock{.event_class = list.event_class, .count = static_cast<u16>(list.codes.size()), .padding = 0});
    for (const u16 code : list.codes) append(bytes, code);
  }
  return send(Request::assign, bytes);
}

diag::Result<std::unique_ptr<CountAnswer>> Driver::read_core(u32 core) {
  WPERF_TRY(const CoreList list, core_list({.cores = {core}}));
  return ask_for_much<CountAnswer>(Request::count_read, bytes_of(list));
}

diag::Result<std::unique_ptr<DsuAnswer>> Driver::read_dsu(u32 core) {
  WPERF_TRY(const CoreList list, core_list({.cores = {core}, .flags = kCountDsu}));
  return ask_for_much<DsuAnswer>(Request::dsu_read, bytes_of(list));
}

diag::Result<std::vector<DmcAnswer>> Driver::read_dmc() {
  WPERF_TRY(const CoreList list, core_list({.cores = {0}, .flags = kCountDmc}));
  std::vector<std::byte> room(kRoom);
  WPERF_TRY(const Answer answer, exchange(Request::dmc_read, bytes_of(list), room));
  if (answer.bytes != dmc_channels_ * sizeof(DmcAnswer))
    return bad_answer(Request::dmc_read, fmt::format("with {} bytes for {} channels", answer.bytes, dmc_channels_));
  std::vector<DmcAnswer> channels(dmc_channels_);
  std::memcpy(channels.data(), room.data(), answer.bytes);
  return channels;
}

diag::Result<DsuCounters> Driver::init_dsu(u32 clusters, u32 cores_per_cluster) {
  const bool power_of_two = cores_per_cluster != 0 && (cores_per_cluster & (cores_per_cluster - 1)) == 0;
  if (clusters == 0 || clusters > kMostCores || !power_of_two || cores_per_cluster > kMostCores)
    return not_sent("Arm's driver cannot be configured for clusters of this size");
  const DsuSetup setup{.clusters = static_cast<u16>(clusters),
                       .cores_per_cluster = static_cast<u16>(cores_per_cluster)};
  WPERF_TRY(const DsuCounters counters, ask<DsuCounters>(Request::dsu_init, bytes_of(setup)));
  if (counters.general > 31) return bad_answer(Request::dsu_init, "with more counters than a DSU has");
  dsu_counters_ = counters.general;
  return counters;
}

diag::Result<DmcCounters> Driver::init_dmc(const std::vector<device::DeviceMemory>& channels) {
  if (channels.empty() || channels.size() > kMostChannels) return not_sent("too many memory channels");
  std::vector<std::byte> bytes;
  append(bytes, DmcSetupHeader{.channels = static_cast<u8>(channels.size()), .padding = {}});
  for (const device::DeviceMemory& channel : channels) {
    append(bytes, channel.base);
    append(bytes, channel.base + channel.size - 1);
  }
  WPERF_TRY(const DmcCounters counters, ask<DmcCounters>(Request::dmc_init, bytes));
  dmc_channels_ = static_cast<u32>(channels.size());
  return counters;
}

diag::Result<void> Driver::set_sources(u32 core, const std::vector<SampleSource>& sources) {
  WPERF_CHECK_OK(check_core(core));
  if (sources.empty() || sources.size() > 31) return not_sent("Arm's driver can sample 1 to 31 events");
  std::vector<std::byte> bytes;
  append(bytes, core);
  for (const SampleSource& source : sources) append(bytes, source);
  return send(Request::sample_sources, bytes);
}

diag::Result<void> Driver::start_sampling(u32 core) {
  WPERF_TRY(const CoreList list, core_list({.cores = {core}}));
  return send(Request::sample_start, bytes_of(list));
}

diag::Result<SampleTotals> Driver::stop_sampling(u32 core) {
  WPERF_TRY(const CoreList list, core_list({.cores = {core}}));
  return ask<SampleTotals>(Request::sample_stop, bytes_of(list));
}

diag::Result<std::unique_ptr<SampleAnswer>> Driver::take_samples(u32 core) {
  WPERF_CHECK_OK(check_core(core));
  return ask_for_much<SampleAnswer>(Request::sample_get, bytes_of(core));
}

}  // namespace wperf::windowsperf
