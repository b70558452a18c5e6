// SPDX-License-Identifier: BSD-3-Clause
// --device etw:fake: the simulated machine, as if Windows traced it. The samples equal the driver's samples on that
// machine.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "machine/etw/etw_device.h"
#include "machine/etw/trace_session.h"
#include "machine/live/live_machine.h"
#include "machine/wperf_driver/driver_device.h"
#include "machine/wperf_driver/sim_machine.h"
#include "sim/tracing/fake_trace_api.h"
#include "sim/tracing/simulated_leaves_linux.h"

namespace wperf::etw::fake {
namespace {

constexpr u16 kCycles = 0x11;

// The event of an Arm core that each usual source counts.
u16 event_of_source(u32 source) {
  switch (source) {
    case 2:
      return 0x1b;  // INST_SPEC
    case 6:
      return 0x21;  // BR_RETIRED
    case 8:
      return 0x03;  // L1D_CACHE_REFILL
    case 9:
      return 0x01;  // L1I_CACHE_REFILL
    case 11:
      return 0x22;  // BR_MIS_PRED_RETIRED
    default:
      return kCycles;
  }
}

class MachineBelow final : public FakeMachine {
 public:
  // `simulated`: the machine of `device`.
  MachineBelow(std::unique_ptr<device::Device> device, wperf_driver::SimulatedMachine& simulated,
               plan::Capabilities machine, u32 mhz)
      : device_(std::move(device)), simulated_(simulated), machine_(std::move(machine)), mhz_(mhz) {}

  device::Device& device() { return *device_; }
  void note_spawned(u32 process) { spawned_.insert(process); }
  u64 now_ns() override { return device_->programs().now_ns(); }
  std::vector<u64> core_midr() override { return machine_.core_midr; }

  diag::Result<void> begin(std::span<const Sampling> sources, bool stacks) override {
    plan::SamplePlan plan;
    sources_.clear();
    for (const Sampling& one : sources) {
      const bool timer = one.source == 0;
      constexpr u32 kUnitsPerMicrosecond = 10;
      const u32 interval = timer ? std::max(one.interval * mhz_ / kUnitsPerMicrosecond, 1u) : one.interval;
      plan.events.push_back(
          {.name = {}, .code = timer ? kCycles : event_of(one), .interval = interval, .kernel_event = {}});
      sources_.push_back(one.source);
    }
    for (u32 core = 0; core < machine_.core_count; ++core) plan.cores.push_back(core);
    plan.kernel = true;
    if (stacks) {
      plan.call_stacks = {.source = request::StackSource::frame_pointers, .most_frames = 127};
    }
    WPERF_TRY(session_, device_->open_sampling(plan));
    return session_->start();
  }

  diag::Result<u64> drain(std::vector<FakeSample>& samples) override {
    readings::SampleCapture capture;
    WPERF_CHECK_OK(session_->drain(capture));
    std::map<u32, std::vector<readings::Module>> modules;
    if (!capture.samples.empty()) {
      for (readings::Process& one : device_->programs().processes()) modules[one.pid] = std::move(one.modules);
    }
    for (const readings::DrainedSample& one : capture.samples) {
      for (u32 event = 0; event < sources_.size(); ++event) {
        if ((one.overflowed >> event & 1) == 0) continue;
        samples.push_back(made_of(one, capture.frames, sources_[event]));
        std::vector<u64>& frames = samples.back().user_frames;
        const bool is_user = one.exception_level == 0 && !frames.empty();
        if (is_user && leaves_.link_is_caller(modules[one.process], one.pc)) frames.insert(frames.begin() + 1, one.lr);
      }
    }
    u64 lost = 0;
    for (const readings::CoreStatistics& core : capture.core_statistics) lost += core.lost_ring_full;
    return lost;
  }
  diag::Result<void> end() override {
    const auto stopped = session_->stop();
    session_.reset();
    return stopped;
  }

  void watch_switches(std::span<const Sampling> counted) override {
    std::vector<u16> events;
    for (const Sampling& one : counted) events.push_back(event_of(one));
    counted_ = events.size();
    simulated_.watch_schedule(events);
  }
  void take_switches(std::vector<FakeSwitch>& switches) override {
    for (const WperfSimScheduleEvent& one : simulated_.take_schedule()) switches.push_back(made_of(one));
  }
  void visit_cores(u32 process, u32 thread) override { simulated_.visit_cores(process, thread); }

  std::vector<FakeProcess> processes() override {
    std::vector<FakeProcess> all;
    for (const readings::Process& one : device_->programs().processes()) {
      FakeProcess process{
          .process = one.pid, .parent = parent_of(one.pid), .path = one.image, .threads = one.threads, .images = {}};
      for (const readings::Module& module : one.modules) {
        process.images.push_back({module.path.empty() ? module.name : module.path, module.base, module.size});
      }
      all.push_back(std::move(process));
    }
    return all;
  }

 private:
  // The machine does not report which program started another program. A program that wperf did not start descends from
  // the last program that wperf started before it, which has a lower number.
  u32 parent_of(u32 process) const {
    const auto after = spawned_.lower_bound(process);
    const bool is_spawned = after != spawned_.end() && *after == process;
    return is_spawned || after == spawned_.begin() ? 0 : *std::prev(after);
  }
  static u16 event_of(const Sampling& one) {
    return one.event != 0 ? static_cast<u16>(one.event) : event_of_source(one.source);
  }

  FakeSwitch made_of(const WperfSimScheduleEvent& one) const {
    FakeSwitch event{.time_ns = one.time_ns,
                     .kind = static_cast<FakeSwitch::Kind>(one.kind),
                     .core = static_cast<u16>(one.core),
                     .process = one.process,
                     .thread = one.thread,
                     .old_process = one.old_process,
                     .old_thread = one.old_thread,
                     .state = static_cast<u8>(one.state),
                     .reason = static_cast<u8>(one.reason),
                     .kernel_frames = {},
                     .user_frames = {},
                     .counts = {one.counts, one.counts + counted_}};
    for (u32 i = 0; i < one.frame_count; ++i) {
      (i < one.kernel_frames ? event.kernel_frames : event.user_frames).push_back(one.frames[i]);
    }
    return event;
  }

  static FakeSample made_of(const readings::DrainedSample& one, const std::vector<u64>& frames, u32 source) {
    FakeSample sample{.time_ns = one.time_ns,
                      .address = one.pc,
                      .process = one.process,
                      .thread = one.thread,
                      .source = source,
                      .core = one.core,
                      .kernel_frames = {},
                      .user_frames = {}};
    if (one.frame_count == 0) return sample;
    const auto callers = std::span(frames).subspan(one.first_frame, one.frame_count);
    (one.exception_level == 0 ? sample.user_frames : sample.kernel_frames).push_back(one.pc);
    for (usize i = 0; i < callers.size(); ++i) {
      (i < one.kernel_frames ? sample.kernel_frames : sample.user_frames).push_back(callers[i]);
    }
    return sample;
  }

  std::unique_ptr<device::Device> device_;
  wperf_driver::SimulatedMachine& simulated_;
  plan::Capabilities machine_;
  u32 mhz_;
  usize counted_ = 0;         // the number of events whose counts are recorded at each switch
  std::vector<u32> sources_;  // by event of the plan
  std::unique_ptr<device::SampleSession> session_;
  SimulatedLeaves leaves_;
  std::set<u32> spawned_;  // by wperf
};

// The simulated machine pins each program to a core. If any core is allowed, it uses the first core.
class SimulatedPrograms final : public device::Programs {
 public:
  explicit SimulatedPrograms(MachineBelow& machine) : machine_(machine), programs_(machine.device().programs()) {}
  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override {
    WPERF_TRY(const u32 process, programs_.spawn(image, command_line, core == plan::kAnyCore ? 0 : core));
    machine_.note_spawned(process);
    return process;
  }
  void keep_stdout_free() override { programs_.keep_stdout_free(); }
  void keep_terminal_free() override { programs_.keep_terminal_free(); }
  bool shares_console() const override { return programs_.shares_console(); }
  std::string_view way_to_output() const override { return programs_.way_to_output(); }
  device::ProcessState process(u32 pid) override { return programs_.process(pid); }
  void kill(u32 pid) override { programs_.kill(pid); }
  std::vector<readings::Process> processes() override { return programs_.processes(); }
  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override { return programs_.wait(nanoseconds, until_pid); }
  u64 now_ns() override { return programs_.now_ns(); }
  bool watch_samples(device::SampleWatcher* watcher) override { return programs_.watch_samples(watcher); }
  bool read_memory(u32 pid, u64 address, std::span<std::byte> to) override {
    return programs_.read_memory(pid, address, to);
  }

 private:
  MachineBelow& machine_;
  device::Programs& programs_;
};

class FakeTracing final : public TracingMachine {
 public:
  FakeTracing(std::unique_ptr<MachineBelow> machine, FakeWindows windows)
      : machine_(std::move(machine)), programs_(*machine_), api_(std::move(windows), *machine_) {}
  etw::TraceApi& tracing() override { return api_; }
  device::Programs& programs() override { return programs_; }

 private:
  std::unique_ptr<MachineBelow> machine_;
  SimulatedPrograms programs_;
  FakeTraceApi api_;
};

// The clock of the simulated machine, which has accepted these settings.
u32 mhz_of(const std::string& options) {
  constexpr u32 kUsual = 25;
  const auto mhz = wperf_driver::option_of(options, "mhz");
  return mhz.has_value() ? static_cast<u32>(std::strtoul(mhz->c_str(), nullptr, mhz->starts_with("0x") ? 16 : 10))
                         : kUsual;
}

// Takes a fault of the simulated Windows, for example "not-elevated" or "no-privilege".
bool take_fault(std::string_view word, FakeWindows& windows) {
  if (word == "not-elevated") {
    windows.elevated = false;
  } else if (word == "no-privilege") {
    windows.may_profile = false;
  } else if (word == "hypervisor") {
    windows.hypervisor = true;
  } else if (word == "no-new-sources") {
    windows.takes_sources = false;
  } else if (word == "disk-full") {
    windows.disk_full = true;
  } else if (word == "ended") {
    windows.ended_after = 3;
  } else if (word == "loses") {
    windows.lost_per_second = 1000;
  } else if (word == "no-session") {
    windows.most_sessions = 0;
    windows.sessions.emplace_back(etw::kKernelLogger);
  } else if (word == "left-behind") {  // left by a wperf that was killed
    windows.sessions.push_back(u"wperf recording 4000");
    windows.sources = usual_sources();
    windows.sources.push_back({0x100, etw::kLeastInterval, 0x7fffffff, "wperf.0x0070 ld_spec"});
  } else {
    return false;
  }
  return true;
}

// Without settings, opens the running machine, if there is one, and replaces `settings` with that machine's.
diag::Result<std::unique_ptr<wperf_driver::SimulatedMachine>> open_machine(std::string& settings) {
  if (!settings.empty()) return wperf_driver::open_simulated_machine(settings);
  WPERF_TRY(auto up, live::find_machine());
  if (up == nullptr) return wperf_driver::open_simulated_machine(settings);
  settings = up->options();
  return std::unique_ptr<wperf_driver::SimulatedMachine>(std::move(up));
}

}  // namespace

diag::Result<std::unique_ptr<TracingMachine>> open_fake_tracing(const std::string& options,
                                                                wperf_driver::SimulatedMachine** below) {
  FakeWindows windows;
  std::string settings;  // settings of the simulated machine
  for (usize begin = 0; begin < options.size();) {
    const usize end = std::min(options.find(',', begin), options.size());
    const std::string word = options.substr(begin, end - begin);
    if (!take_fault(word, windows)) settings += (settings.empty() ? "" : ",") + word;
    begin = end + 1;
  }
  WPERF_TRY(auto machine, open_machine(settings));
  wperf_driver::SimulatedMachine& simulated = *machine;
  if (below != nullptr) *below = &simulated;
  auto device = wperf_driver::make_driver_device(std::move(machine));
  WPERF_CHECK_OK(device->acquire(false));
  WPERF_TRY(plan::Capabilities capabilities, device->capabilities(device::Device::Spe::left_alone));
  auto machine_below =
      std::make_unique<MachineBelow>(std::move(device), simulated, std::move(capabilities), mhz_of(settings));
  return std::unique_ptr<TracingMachine>(std::make_unique<FakeTracing>(std::move(machine_below), std::move(windows)));
}

}  // namespace wperf::etw::fake
