// SPDX-License-Identifier: BSD-3-Clause
// A machine with the fake of Arm's driver. Below it is the simulated machine, whose own driver counts and samples with
// the settings of the fake's counters. That driver's lock protects the counters, so that two wperf processes conflict
// as on a real machine.
#include <fmt/format.h>

#include <algorithm>

#include "machine/wperf_driver/driver_call.h"
#include "machine/wperf_driver/driver_device.h"
#include "sim/arm_driver/fake_driver.h"

namespace wperf::windowsperf::fake {
namespace {

constexpr u64 kStepNs = 10'000'000;  // short enough that the rings of the driver below do not fill up

class SimulatedHardware final : public FakeHardware {
 public:
  SimulatedHardware(std::string options, std::unique_ptr<device::DriverMachine> machine)
      : options_(std::move(options)), machine_(std::move(machine)) {}

  device::DriverMachine& machine() { return *machine_; }
  const FakeParts& known_parts() const { return parts_; }
  const std::vector<u64>& core_midrs() const { return core_midrs_; }

  u64 now_ns() override { return machine_->now_ns(); }
  diag::Result<FakeParts> parts() override { return parts_; }
  diag::Result<bool> take_counters(bool force) override;
  void give_counters_back() override { (void)lock(WPERF_LOCK_RELEASE); }
  bool has_counters() override {
    return wperf_driver::ask_driver<WperfCoreReply>(*machine_, WPERF_CODE_CORE,
                                                    wperf_driver::make_request<WperfCoreRequest>())
        .has_value();
  }
  diag::Result<void> count(const Programmed& programmed) override;
  diag::Result<Counted> stop_counting() override;
  diag::Result<void> sample(u32 core, bool kernel, const std::vector<FakeSource>& sources) override;
  diag::Result<std::vector<FakeSample>> take_samples() override;
  diag::Result<void> stop_sampling() override;

 private:
  diag::Result<WperfStatus> lock(u32 action) {
    auto request = wperf_driver::make_request<WperfLockRequest>();
    request.action = action;
    return wperf_driver::try_driver(*machine_, WPERF_CODE_LOCK, request);
  }
  diag::Result<void> send(u32 code) {
    return wperf_driver::call_driver(*machine_, code, wperf_driver::make_request<WperfPlainRequest>());
  }
  diag::Result<WperfHardwareReply> ask_hardware();
  diag::Result<void> look();
  diag::Result<WperfCountReply> read(EventClass event_class, u32 unit);

  std::string options_;
  std::unique_ptr<device::DriverMachine> machine_;
  FakeParts parts_;
  std::vector<u64> core_midrs_;
  bool spare_counter_ = false;
  Programmed programmed_;
  bool counting_ = false;
  u32 sampled_core_ = 0;
};

diag::Result<WperfHardwareReply> SimulatedHardware::ask_hardware() {
  const std::vector<device::DeviceMemory> channels = machine_->dmc_channels();
  if (!channels.empty()) {
    auto setup = wperf_driver::make_request<WperfDmcSetupRequest>();
    setup.channel_count = static_cast<u32>(std::min<size_t>(channels.size(), WPERF_MAX_DMC_CHANNELS));
    for (u32 i = 0; i < setup.channel_count; ++i) {
      setup.channels[i].base = channels[i].base;
      setup.channels[i].size = channels[i].size;
    }
    WPERF_TRY(const WperfStatus status, wperf_driver::try_driver(*machine_, WPERF_CODE_DMC_SETUP, setup));
    if (status != WPERF_OK && status != WPERF_ACCESS_DENIED)
      return wperf_driver::error_of_status(status, WPERF_CODE_DMC_SETUP);
  }
  return wperf_driver::ask_driver<WperfHardwareReply>(*machine_, WPERF_CODE_HARDWARE,
                                                      wperf_driver::make_request<WperfPlainRequest>());
}

// The fake counts cycles in user mode, on a separate counter: the machine below gets one counter more than the fake
// reports.
diag::Result<bool> SimulatedHardware::take_counters(bool force) {
  WPERF_TRY(const WperfStatus status, lock(force ? WPERF_LOCK_FORCE : WPERF_LOCK_ACQUIRE));
  if (status != WPERF_OK) return false;
  if (spare_counter_) return true;
  WPERF_CHECK_OK(look());
  if (parts_.counters >= WPERF_MAX_COUNTERS) return true;
  machine_.reset();
  const std::string more = fmt::format("{}{}counters={},free={}", options_, options_.empty() ? "" : ",",
                                       parts_.counters + 1, parts_.free_counters + 1);
  WPERF_TRY(machine_, wperf_driver::open_sim_machine(more));
  spare_counter_ = true;
  WPERF_TRY(const WperfStatus again, lock(WPERF_LOCK_ACQUIRE));
  if (again != WPERF_OK) return false;
  WPERF_TRY(const WperfHardwareReply reply, ask_hardware());
  (void)reply;
  return true;
}

diag::Result<void> SimulatedHardware::look() {
  WPERF_TRY(const WperfHardwareReply reply, ask_hardware());
  parts_.midr = reply.midr;
  parts_.id_aa64dfr0 = reply.id_aa64dfr0;
  parts_.cores = reply.core_count;
  parts_.counters = reply.counters_total;
  parts_.free_counters = reply.counters_free;
  std::copy(std::begin(reply.counter_map), std::end(reply.counter_map), parts_.counter_map.begin());
  parts_.clusters = reply.cluster_count;
  parts_.cluster_size = reply.cluster_size;
  parts_.dsu_counters = reply.dsu_counters;
  if (reply.dmc_channels != 0) parts_.dmc_channels = machine_->dmc_channels();
  for (u32 core = 0; core < reply.core_count; ++core) {
    auto request = wperf_driver::make_request<WperfCoreRequest>();
    request.core = core;
    WPERF_TRY(const WperfCoreReply one, wperf_driver::ask_driver<WperfCoreReply>(*machine_, WPERF_CODE_CORE, request));
    core_midrs_.push_back(one.midr);
  }
  return {};
}

template <size_t kSize>
u32 fill(WperfEventEntry (&entries)[kSize], const std::vector<u16>& codes) {
  const auto count = static_cast<u32>(std::min(codes.size(), kSize));
  for (u32 i = 0; i < count; ++i) entries[i] = {.event = codes[i], .group = static_cast<u16>(WPERF_NO_GROUP)};
  return count;
}

diag::Result<void> SimulatedHardware::count(const Programmed& programmed) {
  programmed_ = programmed;
  counting_ = !programmed.core.empty() || !programmed.dsu.empty() || !programmed.clkdiv2.empty();
  if (!counting_) return {};
  auto request = wperf_driver::make_request<WperfCountRequest>();
  request.flags = programmed.kernel ? u32{WPERF_COUNT_KERNEL} : 0u;
  request.period_ms = 100;
  request.dmc_channel = WPERF_ALL_CHANNELS;
  wperf_driver::set_cores(programmed.cores, request.core_mask);
  request.entry_count[WPERF_CLASS_CORE] = fill(request.core, programmed.core);
  request.entry_count[WPERF_CLASS_DSU] = fill(request.dsu, programmed.dsu);
  request.entry_count[WPERF_CLASS_DMC_CLKDIV2] = fill(request.dmc_clkdiv2, programmed.clkdiv2);
  WPERF_CHECK_OK(wperf_driver::call_driver(*machine_, WPERF_CODE_COUNT_CONFIGURE, request));
  return send(WPERF_CODE_COUNT_START);
}

diag::Result<WperfCountReply> SimulatedHardware::read(EventClass event_class, u32 unit) {
  auto request = wperf_driver::make_request<WperfCountReadRequest>();
  request.event_class = static_cast<u32>(index_of(event_class));
  request.unit = unit;
  return wperf_driver::ask_driver<WperfCountReply>(*machine_, WPERF_CODE_COUNT_READ, request);
}

std::vector<u64> values_of(const WperfCountReply& reply) {
  std::vector<u64> values;
  for (const WperfCounterReading& reading : std::span(reply.entries).first(reply.entry_count))
    values.push_back(reading.value);
  return values;
}

diag::Result<Counted> SimulatedHardware::stop_counting() {
  Counted counted;
  if (!counting_) return counted;
  counting_ = false;
  WPERF_CHECK_OK(send(WPERF_CODE_COUNT_STOP));
  for (const u32 core : programmed_.cores) {
    if (!programmed_.core.empty()) {
      WPERF_TRY(const WperfCountReply reply, read(EventClass::core, core));
      counted.cores[core] = {.cycles = reply.cycles, .values = values_of(reply)};
    }
    const u32 cluster = parts_.cluster_size == 0 ? 0 : core / parts_.cluster_size;
    if (!programmed_.dsu.empty() && !counted.clusters.contains(cluster)) {
      WPERF_TRY(const WperfCountReply reply, read(EventClass::dsu, cluster));
      counted.clusters[cluster] = values_of(reply);
    }
  }
  for (u32 channel = 0; !programmed_.clkdiv2.empty() && channel < parts_.dmc_channels.size(); ++channel) {
    WPERF_TRY(const WperfCountReply reply, read(EventClass::dmc_clkdiv2, channel));
    counted.channels[channel] = values_of(reply);
  }
  return counted;
}

diag::Result<void> SimulatedHardware::sample(u32 core, bool kernel, const std::vector<FakeSource>& sources) {
  auto request = wperf_driver::make_request<WperfSampleRequest>();
  request.flags = kernel ? u32{WPERF_SAMPLE_KERNEL} : 0u;
  wperf_driver::set_cores({core}, request.core_mask);
  request.event_count = static_cast<u32>(std::min(sources.size(), std::size(request.events)));
  for (u32 i = 0; i < request.event_count; ++i) {
    request.events[i].event = sources[i].code;
    request.events[i].interval = sources[i].interval;
  }
  sampled_core_ = core;
  WPERF_CHECK_OK(wperf_driver::call_driver(*machine_, WPERF_CODE_SAMPLE_CONFIGURE, request));
  return send(WPERF_CODE_SAMPLE_START);
}

diag::Result<std::vector<FakeSample>> SimulatedHardware::take_samples() {
  std::vector<FakeSample> samples;
  auto request = wperf_driver::make_request<WperfDrainRequest>();
  request.core = sampled_core_;
  for (bool more = true; more;) {
    WPERF_TRY(const auto reply,
              wperf_driver::ask_driver_for_much<WperfDrainReply>(*machine_, WPERF_CODE_SAMPLE_DRAIN, request));
    if (reply->lost_ring_full != 0)
      return diag::Error{.text = "the simulated machine lost samples below the fake driver", .hint = {}};
    for (const WperfSample& sample : std::span(reply->samples).first(std::min<u32>(reply->count, WPERF_MAX_DRAINED)))
      samples.push_back({.pc = sample.pc, .lr = sample.lr, .sources = sample.overflowed});
    more = reply->more != 0;
  }
  return samples;
}

diag::Result<void> SimulatedHardware::stop_sampling() {
  return send(WPERF_CODE_SAMPLE_STOP);
}

class FakeMachine final : public WindowsPerfMachine {
 public:
  FakeMachine(std::unique_ptr<SimulatedHardware> hardware, const FakeSettings& settings)
      : hardware_(std::move(hardware)), settings_(settings), driver_(*hardware_, settings), handle_(driver_.open()) {}
  ~FakeMachine() override { driver_.close(handle_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) override {
    return driver_.control(handle_, code, input, output);
  }
  std::optional<FileVersion> file_version() override {
    return FileVersion{.major = settings_.major, .minor = settings_.minor, .patch = settings_.patch};
  }
  std::vector<u64> core_midrs() override { return hardware_->core_midrs(); }
  void pause(u64) override { driver_.settle(); }

  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override {
    return below().spawn(image, command_line, core);
  }
  device::ProcessState process(u32 pid) override { return below().process(pid); }
  void kill(u32 pid) override { below().kill(pid); }
  std::vector<readings::Process> processes() override { return below().processes(); }
  u64 now_ns() override { return below().now_ns(); }
  std::vector<device::DeviceMemory> dmc_channels() override { return hardware_->known_parts().dmc_channels; }
  u32 dsu_clusters() override { return hardware_->known_parts().clusters; }
  device::DeviceIdentity identity() override {
    return {.instance_id = "ROOT\\WPERFDRIVER\\0000", .hardware_ids = "Root\\WPERFDRIVER"};
  }
  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override;

 private:
  device::DriverMachine& below() { return hardware_->machine(); }

  std::unique_ptr<SimulatedHardware> hardware_;
  FakeSettings settings_;
  FakeDriver driver_;
  u32 handle_;
};

diag::Result<void> FakeMachine::wait(u64 nanoseconds, u32 until_pid) {
  const u64 end = now_ns() + nanoseconds;
  for (u64 now = now_ns(); now < end; now = now_ns()) {
    u64 step = std::min(end - now, kStepNs);
    if (const auto tick = driver_.next_tick_ns()) step = std::min(step, std::max(*tick, now + 1) - now);
    auto waited = below().wait(step, until_pid);
    WPERF_CHECK_OK(driver_.catch_up());
    if (!waited.has_value()) return waited;
    if (until_pid != 0 && !process(until_pid).running) return {};
  }
  return {};
}

// Takes a setting of the fake itself, such as "driver=3.7.2". Returns false for a key of the simulated machine.
diag::Result<bool> take_setting(std::string_view key, std::string_view value, FakeSettings& settings) {
  if (key == "lock") {
    settings.left_locked = value == "left";
    return true;
  }
  if (key == "build") {
    if (value == "spe") settings.features = "+trace+spe";
    return true;
  }
  if (key != "driver") return false;
  u8* const numbers[] = {&settings.major, &settings.minor, &settings.patch};
  usize place = 0;
  for (u8* number : numbers) *number = 0;
  for (const char letter : value) {
    if (letter == '.' && ++place < std::size(numbers)) continue;
    if (letter < '0' || letter > '9' || place >= std::size(numbers)) {
      return diag::Error{.text = fmt::format("'{}' is not a driver version", value),
                         .hint = "as in driver=3.8.0",
                         .code = diag::ExitCode::usage};
    }
    *numbers[place] = static_cast<u8>(*numbers[place] * 10 + (letter - '0'));
  }
  return true;
}

}  // namespace

diag::Result<std::unique_ptr<WindowsPerfMachine>> open_fake_machine(const std::string& options) {
  FakeSettings settings;
  std::string below;
  for (std::string_view rest = options; !rest.empty();) {
    const std::string_view setting = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(setting.size() + 1, rest.size()));
    const auto equals = setting.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
    WPERF_TRY(const bool taken, take_setting(setting.substr(0, equals), value, settings));
    if (!taken) below += (below.empty() ? "" : ",") + std::string(setting);
  }
  WPERF_TRY(auto machine, wperf_driver::open_sim_machine(below));
  return std::unique_ptr<WindowsPerfMachine>(
      std::make_unique<FakeMachine>(std::make_unique<SimulatedHardware>(below, std::move(machine)), settings));
}

}  // namespace wperf::windowsperf::fake
