// SPDX-License-Identifier: BSD-3-Clause
// A machine whose driver uses wperf's protocol, as a device: converts plans to requests, and answers to raw readings.
#include "machine/wperf_driver/driver_device.h"

#include <algorithm>
#include <cstring>

#include "ground/os/machine_facts.h"
#include "machine/plan/counters.h"
#include "machine/wperf_driver/driver_call.h"
#include "machine/wperf_driver/driver_runs.h"

namespace wperf::wperf_driver {
namespace {

std::string text_of(const char* text, size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

// Padding keeps groups together in one time slot. If all events fit at once, the padding is left out, and its counters
// can count cycles.
size_t entries_to_count(const plan::Schedule& schedule) {
  size_t count = schedule.entries.size();
  while (!schedule.multiplexed() && count != 0 && schedule.entries[count - 1].padding) --count;
  return count;
}

void fill_entries(const plan::Schedule& schedule, WperfEventEntry* out, u32 capacity, u32& count) {
  count = static_cast<u32>(std::min<size_t>(entries_to_count(schedule), capacity));
  for (u32 i = 0; i < count; ++i) {
    const plan::Entry& entry = schedule.entries[i];
    out[i].event = entry.code;
    out[i].group = entry.group.has_value() ? static_cast<u16>(*entry.group) : static_cast<u16>(WPERF_NO_GROUP);
  }
}

WperfCountRequest request_of(const plan::CountPlan& plan) {
  auto request = make_request<WperfCountRequest>();
  request.flags = plan.kernel ? WPERF_COUNT_KERNEL : 0;
  request.period_ms = plan.period_ms;
  request.dmc_channel = plan.dmc_channels.size() == 1 ? plan.dmc_channels.front() : u32{WPERF_ALL_CHANNELS};
  set_cores(plan.cores, request.core_mask);
  const auto& schedules = plan.schedules;
  fill_entries(schedules[WPERF_CLASS_CORE], request.core, WPERF_MAX_CORE_EVENTS, request.entry_count[WPERF_CLASS_CORE]);
  fill_entries(schedules[WPERF_CLASS_DSU], request.dsu, WPERF_MAX_DSU_EVENTS, request.entry_count[WPERF_CLASS_DSU]);
  fill_entries(schedules[WPERF_CLASS_DMC_CLK], request.dmc_clk, WPERF_MAX_DMC_CLK_EVENTS,
               request.entry_count[WPERF_CLASS_DMC_CLK]);
  fill_entries(schedules[WPERF_CLASS_DMC_CLKDIV2], request.dmc_clkdiv2, WPERF_MAX_DMC_CLKDIV2_EVENTS,
               request.entry_count[WPERF_CLASS_DMC_CLKDIV2]);
  return request;
}

// ID_AA64DFR0_EL1.PMUVer: 0 means no PMU, 0xf a PMU that does not follow Arm's architecture.
bool shows_pmu(u64 id_aa64dfr0) {
  const u64 version = id_aa64dfr0 >> 8 & 0xf;
  return version != 0 && version != 0xf;
}

readings::CycleSource cycle_source_of(u32 source) {
  if (source == WPERF_CYCLES_COUNTED) return readings::CycleSource::counted;
  return source == WPERF_CYCLES_SHARED ? readings::CycleSource::shared : readings::CycleSource::none;
}

readings::UnitCounts unit_of(EventClass event_class, const WperfCountReply& reply) {
  readings::UnitCounts unit{.event_class = event_class,
                            .unit = reply.unit,
                            .multiplexed = reply.multiplexed != 0,
                            .rounds = reply.rounds,
                            .enabled_ns = reply.enabled_ns,
                            .cycles = reply.cycles,
                            .cycle_source = cycle_source_of(reply.cycles_source),
                            .losses = reply.losses,
                            .lost_ns = reply.lost_ns,
                            .entries = {}};
  const u32 count = std::min<u32>(reply.entry_count, WPERF_MAX_CORE_EVENTS);
  unit.entries.reserve(count);
  for (u32 i = 0; i < count; ++i) {
    const WperfCounterReading& reading = reply.entries[i];
    unit.entries.push_back({.value = reading.value,
                            .slots = reading.slots,
                            .running_ns = reading.running_ns,
                            .running_cycles = reading.running_cycles,
                            .full_slots = reading.full_slots,
                            .full_value = reading.full_value,
                            .squares_low = reading.squares_low,
                            .squares_high = reading.squares_high});
  }
  return unit;
}

class DriverCountSession final : public device::CountSession {
 public:
  DriverCountSession(device::DriverMachine& machine, const plan::CountPlan& plan)
      : machine_(machine), run_(machine, WPERF_CODE_COUNT_START, WPERF_CODE_COUNT_STOP), plan_(plan) {}

  diag::Result<void> start() override {
    start_ns_ = machine_.now_ns();
    return run_.start();
  }

  // The answer to any request shows whether this client still has the lock; this is the cheapest request.
  diag::Result<void> check() override {
    auto request = make_request<WperfCoreRequest>();
    const auto reply = ask_driver<WperfCoreReply>(machine_, WPERF_CODE_CORE, request);
    if (!reply.has_value()) return reply.error();
    return {};
  }

  diag::Result<void> stop() override {
    WPERF_CHECK_OK(run_.stop());
    end_ns_ = machine_.now_ns();
    return {};
  }

  diag::Result<readings::CountCapture> read() override {
    readings::CountCapture capture{
        .start_ns = start_ns_, .end_ns = run_.is_running() ? machine_.now_ns() : end_ns_, .units = {}};
    for (const EventClass event_class : kEventClasses) {
      if (plan_.schedules[index_of(event_class)].entries.empty()) continue;
      for (const u32 unit : units(event_class)) {
        auto request = make_request<WperfCountReadRequest>();
        request.event_class = static_cast<u32>(index_of(event_class));
        request.unit = unit;
        WPERF_TRY(const WperfCountReply reply, ask_driver<WperfCountReply>(machine_, WPERF_CODE_COUNT_READ, request));
        capture.units.push_back(unit_of(event_class, reply));
      }
    }
    return capture;
  }

 private:
  const std::vector<u32>& units(EventClass event_class) const {
    if (event_class == EventClass::core) return plan_.cores;
    if (event_class == EventClass::dsu) return plan_.clusters;
    return plan_.dmc_channels;
  }

  device::DriverMachine& machine_;
  DriverRun run_;
  plan::CountPlan plan_;
  u64 start_ns_ = 0, end_ns_ = 0;
};

class DriverDevice final : public device::Device {
 public:
  explicit DriverDevice(std::unique_ptr<device::DriverMachine> machine) : machine_(std::move(machine)) {}

  diag::Result<void> acquire(bool force) override {
    force_ = force;
    auto request = make_request<WperfLockRequest>();
    request.action = force ? WPERF_LOCK_FORCE : WPERF_LOCK_ACQUIRE;
    return call_driver(*machine_, WPERF_CODE_LOCK, request);
  }

  diag::Result<device::DriverVersion> driver_version() override {
    WPERF_TRY(const WperfVersionReply reply, ask_version());
    return device::DriverVersion{.major = reply.major,
                                 .minor = reply.minor,
                                 .patch = reply.patch,
                                 .wire_version = reply.wire_version,
                                 .compatible = reply.wire_version == WPERF_WIRE_VERSION,
                                 .git = text_of(reply.git, sizeof reply.git),
                                 .features = text_of(reply.features, sizeof reply.features)};
  }

  diag::Result<device::InterruptState> interrupt_state() override {
    const auto request = make_request<WperfPlainRequest>();
    auto buffer = driver_call_detail::bytes_of(request, sizeof(WperfInterruptReply));
    WPERF_TRY(const device::DriverAnswer answer, machine_->control(WPERF_CODE_INTERRUPT, buffer, sizeof request));
    if (answer.first == WPERF_UNKNOWN_CODE) return device::InterruptState::unknown;
    if (answer.first != WPERF_OK) return error_of_status(answer.first, WPERF_CODE_INTERRUPT);
    if (answer.second < sizeof(WperfInterruptReply)) return device::InterruptState::unknown;
    WperfInterruptReply reply;
    std::memcpy(&reply, buffer.data(), sizeof reply);
    constexpr device::InterruptState kStates[] = {
        device::InterruptState::not_asked, device::InterruptState::held, device::InterruptState::refused,
        device::InterruptState::not_given_again, device::InterruptState::maybe_not_again};
    return reply.state < std::size(kStates) ? kStates[reply.state] : device::InterruptState::unknown;
  }

  diag::Result<plan::Capabilities> capabilities(Spe spe) override {
    // Windows takes long to list devices, so this is done only once.
    const std::vector<device::DeviceMemory> channels = machine_->dmc_channels();
    WPERF_CHECK_OK(set_up_dmc(channels));
    WPERF_TRY(WperfHardwareReply reply, ask_hardware());
    const u32 clusters = machine_->dsu_clusters();
    if (clusters != 0 && reply.cluster_count == 0) {
      WPERF_CHECK_OK(set_up_dsu(clusters, reply.core_count));
      WPERF_TRY(reply, ask_hardware());
    }
    plan::Capabilities machine = machine_of(reply);
    if (spe == Spe::asked_for) WPERF_CHECK_OK(ask_spe(machine));
    machine.usual_cycle_interval = machine_->usual_cycle_interval();
    machine.call_stacks = has_feature("+stacks");
    machine.shows_python = machine_->watch_samples(nullptr);
    machine.named_clusters = clusters;
    machine.named_dmc_channels = static_cast<u32>(channels.size());
    for (u32 core = 0; core < machine.core_count; ++core) {
      auto request = make_request<WperfCoreRequest>();
      request.core = core;
      WPERF_TRY(const WperfCoreReply one, ask_driver<WperfCoreReply>(*machine_, WPERF_CODE_CORE, request));
      machine.core_midr.push_back(one.midr);
    }
    return machine;
  }

  diag::Result<std::unique_ptr<device::CountSession>> open_count(const plan::CountPlan& plan) override {
    WPERF_CHECK_OK(call_driver(*machine_, WPERF_CODE_COUNT_CONFIGURE, request_of(plan)));
    return std::unique_ptr<device::CountSession>(std::make_unique<DriverCountSession>(*machine_, plan));
  }

  diag::Result<std::unique_ptr<device::SampleSession>> open_sampling(const plan::SamplePlan& plan) override {
    WPERF_CHECK_OK(plan::check_sampling_in_virtual_machine(os::is_virtual_machine(machine_->model()), force_));
    // Two recordings of one start never have the same jitter.
    plan::SamplePlan seeded = plan;
    seeded.seed = machine_->seed().value_or(machine_->now_ns()) + sampled_++;
    return open_driver_sampling(*machine_, seeded);
  }

  diag::Result<std::unique_ptr<device::SpeSession>> open_spe(const plan::SpePlan& plan) override {
    return open_driver_spe(*machine_, plan);
  }

  device::Programs& programs() override { return *machine_; }
  device::DeviceIdentity identity() override { return machine_->identity(); }

 private:
  diag::Result<WperfHardwareReply> ask_hardware() {
    return ask_driver<WperfHardwareReply>(*machine_, WPERF_CODE_HARDWARE, make_request<WperfPlainRequest>());
  }

  bool has_feature(std::string_view feature) {
    const auto version = driver_version();
    return version.has_value() && version.value().features.find(feature) != std::string::npos;
  }

  // The driver reads these registers only for this request.
  diag::Result<void> ask_spe(plan::Capabilities& machine) {
    constexpr u32 kPmsVerShift = 32;
    if ((machine.id_aa64dfr0 >> kPmsVerShift & 0xf) == 0) return {};
    WPERF_TRY(const WperfSpeCoreReply spe,
              ask_driver<WperfSpeCoreReply>(*machine_, WPERF_CODE_SPE_CORE, make_request<WperfCoreRequest>()));
    machine.pmsidr = spe.pmsidr;
    machine.pmbidr = spe.pmbidr;
    if (spe.buffer_alignment != 0) machine.device_id += ";spe.sample=arm_spe_0";
    return {};
  }

  // A driver rejects requests of other protocol versions, so each known version is tried.
  diag::Result<WperfVersionReply> ask_version() {
    constexpr u32 kMostVersions = 16;
    auto request = make_request<WperfPlainRequest>();
    for (u32 other = 0; other <= kMostVersions; ++other) {
      if (other == WPERF_WIRE_VERSION) continue;
      request.header.version = other == 0 ? WPERF_WIRE_VERSION : other;
      auto buffer = driver_call_detail::bytes_of(request, sizeof(WperfVersionReply));
      WPERF_TRY(const device::DriverAnswer answer, machine_->control(WPERF_CODE_VERSION, buffer, sizeof request));
      if (answer.first == WPERF_BAD_VERSION) continue;
      if (answer.first != WPERF_OK) return error_of_status(answer.first, WPERF_CODE_VERSION);
      if (answer.second < sizeof(WperfVersionReply)) break;
      WperfVersionReply reply;
      std::memcpy(&reply, buffer.data(), sizeof reply);
      return reply;
    }
    return diag::Error{.text = "the installed driver uses a protocol version that this wperf does not support",
                       .hint = "install the driver that came with this wperf"};
  }

  // This request and the next one describe units that the driver cannot find itself. Only administrators may send them;
  // other users measure without these units.
  diag::Result<void> set_up_dmc(const std::vector<device::DeviceMemory>& channels) {
    if (channels.empty()) return {};
    auto request = make_request<WperfDmcSetupRequest>();
    request.channel_count = static_cast<u32>(std::min<size_t>(channels.size(), WPERF_MAX_DMC_CHANNELS));
    for (u32 i = 0; i < request.channel_count; ++i) {
      request.channels[i].base = channels[i].base;
      request.channels[i].size = channels[i].size;
    }
    return set_up(WPERF_CODE_DMC_SETUP, request);
  }

  diag::Result<void> set_up_dsu(u32 clusters, u32 cores) {
    if (clusters > WPERF_MAX_CLUSTERS || cores % clusters != 0)
      return {};  // the request cannot describe clusters of different sizes
    auto request = make_request<WperfDsuSetupRequest>();
    request.cluster_count = clusters;
    request.cluster_size = cores / clusters;
    return set_up(WPERF_CODE_DSU_SETUP, request);
  }

  template <typename Request>
  diag::Result<void> set_up(u32 code, const Request& request) {
    WPERF_TRY(const WperfStatus status, try_driver(*machine_, code, request));
    if (status == WPERF_OK || status == WPERF_ACCESS_DENIED) return {};
    return error_of_status(status, code);
  }

  static plan::Capabilities machine_of(const WperfHardwareReply& reply) {
    plan::Capabilities machine;
    machine.midr = reply.midr;
    machine.id_aa64dfr0 = reply.id_aa64dfr0;
    machine.core_count = std::min<u32>(reply.core_count, WPERF_MAX_CORES);
    machine.counters_total = {reply.counters_total, reply.dsu_counters, reply.dmc_clk_counters,
                              reply.dmc_clkdiv2_counters};
    machine.counters_free = {reply.counters_free, reply.dsu_counters, reply.dmc_clk_counters,
                             reply.dmc_clkdiv2_counters};
    machine.cycle_counters = reply.cycle_counters;
    if (shows_pmu(reply.id_aa64dfr0) && reply.cycle_counters == 0) {
      machine.why_no_counters =
          "this machine reports counters, but their registers cannot be read: a hypervisor blocks them";
    }
    machine.cluster_count = reply.cluster_count;
    machine.cluster_size = reply.cluster_size;
    machine.dmc_channels = reply.dmc_channels;
    machine.period_min_ms = reply.period_min_ms;
    machine.period_max_ms = reply.period_max_ms;
    machine.period_default_ms = reply.period_default_ms;
    std::copy(std::begin(reply.counter_map), std::end(reply.counter_map), machine.counter_map.begin());
    machine.timer = {.hz = reply.timer_hz, .ticks = reply.timer_ticks, .time_ns = reply.timer_time_ns};
    machine.device_id = text_of(reply.device_id, sizeof reply.device_id);
    return machine;
  }

  std::unique_ptr<device::DriverMachine> machine_;
  u64 sampled_ = 0;  // number of sampling sessions
  bool force_ = false;
};

}  // namespace

std::unique_ptr<device::Device> make_driver_device(std::unique_ptr<device::DriverMachine> machine) {
  return std::make_unique<DriverDevice>(std::move(machine));
}

}  // namespace wperf::wperf_driver
