// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/etw_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "base/event_class.h"
#include "formats/etl/switch_counts.h"
#include "formats/etl/trace_history.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "machine/device/device.h"
#include "machine/etw/recording_profile.h"
#include "machine/etw/system_state.h"
#include "machine/etw/trace_calls.h"
#include "machine/etw/trace_events.h"
#include "machine/etw/trace_session.h"
#include "machine/plan/counters.h"

namespace wperf::etw {
namespace {

// Counts without a driver: at each context switch Windows writes the counters into an unnamed trace. The difference
// between two switches belongs to the thread that ran in between.
class TraceCountSession final : public device::CountSession {
 public:
  struct Trace {
    etw::SessionPlan session;
    std::vector<etw::CountedEntry> entries;
    os::RecordingFile file;
  };
  TraceCountSession(etw::TraceApi& api, device::Programs& programs, const plan::CountPlan& plan, Trace trace)
      : api_(api),
        programs_(programs),
        plan_(plan),
        session_plan_(std::move(trace.session)),
        entries_(std::move(trace.entries)),
        file_(std::move(trace.file)) {}

  diag::Result<void> start() override {
    WPERF_TRY(session_, etw::Session::start(api_, session_plan_));
    start_ns_ = programs_.now_ns();
    return {};
  }
  diag::Result<void> check() override {
    const auto state = session_->state();
    if (!state.has_value()) return state.error();
    return {};
  }
  diag::Result<void> stop() override {
    if (end_ns_ != 0) return {};
    end_ns_ = programs_.now_ns();
    WPERF_TRY(const etw::SessionState state, session_->stop());
    events_lost_ = state.events_lost;
    return {};
  }
  diag::Result<readings::CountCapture> read() override;

 private:
  u64 value_of(const etw::CountedEntry& entry, const etl::SwitchCounts::Spent& spent, const etl::Trace& trace) const;
  void add_cores(const etl::Trace& trace, const etl::SwitchCounts& counts, readings::CountCapture& capture) const;
  readings::UnitCounts unit_of(u32 number) const;
  static u64 ns_of(const etl::Trace& trace, u64 ticks) { return trace.nanoseconds(trace.header().first_ticks + ticks); }

  etw::TraceApi& api_;
  device::Programs& programs_;
  plan::CountPlan plan_;
  etw::SessionPlan session_plan_;
  std::vector<etw::CountedEntry> entries_;
  os::RecordingFile file_;
  std::unique_ptr<etw::Session> session_;
  u64 start_ns_ = 0, end_ns_ = 0, events_lost_ = 0;
};

u64 TraceCountSession::value_of(const etw::CountedEntry& entry, const etl::SwitchCounts::Spent& spent,
                                const etl::Trace& trace) const {
  switch (entry.kind) {
    case etw::CountedEntry::Kind::time:
      return ns_of(trace, spent.running);
    case etw::CountedEntry::Kind::switches:
      return spent.switches;
    default:
      return entry.counter < spent.values.size() ? spent.values[entry.counter] : 0;
  }
}

readings::UnitCounts TraceCountSession::unit_of(u32 number) const {
  readings::UnitCounts unit;
  unit.unit = number;
  unit.enabled_ns = end_ns_ - start_ns_;
  unit.entries.resize(entries_.size());
  for (readings::CounterReading& entry : unit.entries) entry.running_ns = entry.enabled_ns = unit.enabled_ns;
  return unit;
}

void TraceCountSession::add_cores(const etl::Trace& trace, const etl::SwitchCounts& counts,
                                  readings::CountCapture& capture) const {
  const etl::SwitchCounts::Spent nothing;
  for (const u32 core : plan_.cores) {
    readings::UnitCounts& unit = capture.units.emplace_back(unit_of(core));
    const etl::SwitchCounts::Spent& spent = core < counts.cores().size() ? counts.cores()[core] : nothing;
    for (usize i = 0; i < entries_.size(); ++i) unit.entries[i].value = value_of(entries_[i], spent, trace);
  }
}

diag::Result<readings::CountCapture> TraceCountSession::read() {
  readings::CountCapture capture{.start_ns = start_ns_, .end_ns = end_ns_, .units = {}};
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(file_.openable_path()));
  WPERF_TRY(const etl::Trace trace, etl::Trace::open(mapped.bytes()));
  etl::TraceHistory history;
  etl::TraceLosses losses;
  u64 end = trace.header().first_ticks;
  trace.for_each_event(
      [&](const etl::Event& event) {
        history.take(event);
        end = std::max(end, event.time);
      },
      losses);
  history.finish();
  const std::span<const u32> cores = plan_.of_program ? std::span<const u32>() : plan_.cores;
  etl::SwitchCounts counts(session_plan_.counted.size(), cores, trace.header().first_ticks, losses.unrecorded);
  etl::TraceLosses again;
  trace.for_each_event([&](const etl::Event& event) { counts.take(event); }, again);
  counts.finish(end);

  const std::set<u32> family =
      plan_.of_program ? readings::with_children(plan_.process.value_or(0), history.children()) : std::set<u32>();
  for (const etl::SwitchCounts::Thread& one : counts.threads()) {
    if (one.thread == 0) continue;
    const u32 process = history.process_of(one.thread, one.time);
    if (plan_.of_program && !family.contains(process)) continue;
    capture.unseen_ns += ns_of(trace, one.spent.unseen);
    capture.lost_ns += ns_of(trace, one.spent.lost);
    if (one.spent.switches == 0 && one.spent.running == 0) continue;
    readings::ThreadCounts& thread = capture.threads.emplace_back();
    thread.process = process;
    thread.thread = one.thread;
    thread.name = history.image_of(process, one.time);
    thread.running_ns = ns_of(trace, one.spent.running);
    thread.switches = one.spent.switches;
    for (const etw::CountedEntry& entry : entries_) thread.values.push_back(value_of(entry, one.spent, trace));
  }
  capture.events_lost = std::max<u64>(events_lost_, trace.header().events_lost) + losses.missing_buffers;
  if (plan_.of_program) {
    readings::UnitCounts& unit = capture.units.emplace_back(unit_of(0));
    for (const readings::ThreadCounts& thread : capture.threads) {
      for (usize i = 0; i < entries_.size(); ++i) unit.entries[i].value += thread.values[i];
    }
  } else {
    add_cores(trace, counts, capture);
  }
  return capture;
}

// `sources`: the sources that Windows has.
diag::Result<std::unique_ptr<device::CountSession>> open_trace_count(etw::TraceApi& api, device::Programs& programs,
                                                                     const plan::CountPlan& plan,
                                                                     std::span<const etw::ProfileSource> sources,
                                                                     bool force) {
  etw::SessionPlan session;
  session.stacks = false;
  session.watches = true;
  session.cores = static_cast<u32>(api.machine().core_midr.size());
  session.force = force;
  WPERF_TRY(std::vector<etw::CountedEntry> entries, etw::plan_counts(plan, sources, session));
  const u32 most = etw::most_counters(api);
  if (most != 0 && session.counted.size() > most) {
    return diag::usage_error(fmt::format("Windows can count at most {} events at once on this machine, not {}", most,
                                         session.counted.size()),
                             "choose fewer with -e");
  }
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  file.close();  // Windows writes the file, not wperf
  session.file = file.openable_path();
  return std::unique_ptr<device::CountSession>(std::make_unique<TraceCountSession>(
      api, programs, plan, TraceCountSession::Trace{std::move(session), std::move(entries), std::move(file)}));
}

class TraceRecordingSession final : public device::RecordingSession {
 public:
  // `unnamed`: the file for a trace that is removed afterwards.
  TraceRecordingSession(etw::TraceApi& api, device::Programs& programs, etw::SessionPlan plan,
                        std::optional<os::RecordingFile> unnamed)
      : api_(api), programs_(programs), plan_(std::move(plan)), unnamed_(std::move(unnamed)) {}

  diag::Result<void> start() override {
    WPERF_TRY(session_, etw::Session::start(api_, plan_));
    begin_ns_ = losses_noted_ns_ = programs_.now_ns();
    return {};
  }
  diag::Result<u64> written() override {
    WPERF_TRY(const etw::SessionState state, session_->state());
    constexpr u64 kNoteLossesEveryNs = 1'000'000'000;
    if (programs_.now_ns() - losses_noted_ns_ >= kNoteLossesEveryNs) note_losses(state);
    written_ = u64{state.buffers_written} * kBufferBytes;
    return written_;
  }
  diag::Result<void> stop() override {
    auto state = session_->stop();
    if (state.has_value()) {
      note_losses(state.value());
    } else {
      error_ = std::move(state).error();
    }
    return {};
  }
  bool is_trace() const override { return true; }
  std::vector<std::pair<std::string, std::string>> volumes() const override {
    std::vector<std::pair<std::string, std::string>> volumes;
    for (const auto& [device, drive] : api_.volumes()) volumes.emplace_back(device, drive);
    return volumes;
  }
  std::vector<Loss> losses() const override { return losses_; }
  std::string readable_path() const override { return plan_.file; }
  const std::optional<diag::Error>& error() const override { return error_; }
  std::vector<std::string> remarks() const override {
    return session_ != nullptr ? session_->remarks() : std::vector<std::string>();
  }

 private:
  static constexpr u64 kBufferBytes = 1 << 20;

  void note_losses(const etw::SessionState& state) {
    const u64 now_ns = programs_.now_ns();
    const u64 events = state.events_lost, buffers = u64{state.log_buffers_lost} + state.real_time_buffers_lost;
    // If another process ended the session, the trace may have fewer events than were written before.
    const u64 more_events = events - std::min(events, events_lost_);
    const u64 more_buffers = buffers - std::min(buffers, buffers_lost_);
    if (more_events + more_buffers != 0) {
      losses_.push_back({losses_noted_ns_ - begin_ns_, now_ns - begin_ns_, more_events, more_buffers});
    }
    events_lost_ = std::max(events, events_lost_);
    buffers_lost_ = std::max(buffers, buffers_lost_);
    losses_noted_ns_ = now_ns;
  }

  etw::TraceApi& api_;
  device::Programs& programs_;
  etw::SessionPlan plan_;
  std::optional<os::RecordingFile> unnamed_;
  std::unique_ptr<etw::Session> session_;
  u64 written_ = 0;
  u64 begin_ns_ = 0, losses_noted_ns_ = 0, events_lost_ = 0, buffers_lost_ = 0;
  std::vector<Loss> losses_;
  std::optional<diag::Error> error_;
};

// Used if Windows does not report the number of counters.
constexpr u32 kLeastCounters = 1;

diag::Error not_here(std::string_view what) {
  return {.text = fmt::format("Windows' own tracing cannot {}", what),
          .hint = "wperf's driver can: see docs/user/devgen.md",
          .code = diag::ExitCode::no_device};
}

class EtwDevice final : public device::Device {
 public:
  explicit EtwDevice(std::unique_ptr<TracingMachine> machine) : machine_(std::move(machine)) {}

  diag::Result<void> acquire(bool force) override {
    force_ = force;
    return {};
  }
  diag::Result<device::DriverVersion> driver_version() override {
    return device::DriverVersion{.major = 10,
                                 .minor = 0,
                                 .patch = machine_->tracing().machine().build,
                                 .wire_version = device::spoken_wire_version(),
                                 .compatible = true,
                                 .git = {},
                                 .features = "event tracing",
                                 .name = "Windows"};
  }
  diag::Result<plan::Capabilities> capabilities(Spe) override {
    const etw::TraceApi::HostFacts windows = machine_->tracing().machine();
    plan::Capabilities machine;
    machine.core_count = static_cast<u32>(windows.core_midr.size());
    machine.core_midr = windows.core_midr;
    machine.midr = windows.core_midr.empty() ? 0 : windows.core_midr.front();
    machine.counter_map.fill(0xff);
    machine.device_id = "etw";
    machine.shows_python = machine_->programs().watch_samples(nullptr);
    // A user without the right to list sources gets only the timer, which always exists.
    auto sources = etw::list_sources(machine_->tracing());
    sources_ = sources.has_value() ? std::move(sources).value() : std::vector<etw::ProfileSource>();
    machine.cycle_counters = 0;  // here cycles are an ordinary event
    const u32 counters = sources_.size() > 1 ? etw::most_counters(machine_->tracing()) : 0;
    machine.counted_at_once = counters != 0 ? counters : kLeastCounters;
    machine.counters_total[index_of(EventClass::core)] = counters;
    machine.counters_free[index_of(EventClass::core)] = counters;
    machine.kernel = std::make_shared<etw::TraceEvents>(sources_, machine.midr != 0, machine.core_count, counters);
    return machine;
  }
  diag::Result<std::unique_ptr<device::CountSession>> open_count(const plan::CountPlan& plan) override {
    return open_trace_count(machine_->tracing(), machine_->programs(), plan, sources_, force_);
  }
  diag::Result<std::unique_ptr<device::SpeSession>> open_spe(const plan::SpePlan&) override {
    return not_here("profile with SPE");
  }
  diag::Result<std::unique_ptr<device::RecordingSession>> open_recording(
      const plan::SamplePlan& plan, const device::RecordingTarget& target) override {
    constexpr std::string_view kEnding = ".etl";
    if (!target.file.empty() && !target.file.ends_with(kEnding)) {
      return diag::usage_error("Windows records traces, and " + target.file + " does not end in .etl",
                               "use a name such as FILE.etl");
    }
    etw::SessionPlan session{.sources = {},
                             .stacks = true,  // stacks cost little, and every view uses them
                             .cores = static_cast<u32>(machine_->tracing().machine().core_midr.size()),
                             .force = force_,
                             .file = target.file};
    WPERF_CHECK_OK(etw::plan_session(plan, sources_, session));
    std::optional<os::RecordingFile> unnamed;
    if (session.file.empty()) {
      WPERF_TRY(os::RecordingFile made, os::RecordingFile::create({}));
      made.close();  // Windows writes the file, not wperf
      session.file = made.openable_path();
      unnamed.emplace(std::move(made));
    }
    return std::unique_ptr<device::RecordingSession>(std::make_unique<TraceRecordingSession>(
        machine_->tracing(), machine_->programs(), std::move(session), std::move(unnamed)));
  }
  diag::Result<std::string> recording_profile(const plan::SamplePlan& plan) override {
    const std::vector<u64> cores = machine_->tracing().machine().core_midr;
    etw::SessionPlan session;
    session.cores = static_cast<u32>(cores.size());
    WPERF_CHECK_OK(etw::plan_session(plan, sources_, session));
    return etw::recording_profile(session, sources_, cores.empty() ? 0 : cores.front());
  }
  std::vector<device::DeviceCheck> checks() override {
    etw::TraceApi& api = machine_->tracing();
    const etw::TraceApi::HostFacts windows = api.machine();
    std::vector<device::DeviceCheck> checks{
        {"rights", windows.elevated, windows.elevated ? "elevated" : "not elevated: this user is not allowed to record",
         windows.elevated ? "" : "start wperf from an elevated prompt (Run as administrator)"}};
    const bool may = windows.elevated && api.enable_privilege() == etw::kNoError;
    checks.push_back({"privilege", may,
                      may ? "profiling the system is allowed" : "the right SeSystemProfilePrivilege is missing",
                      may ? "" : "administrators have it and can grant it in the local security policy"});
    checks.push_back({"machine", !windows.hypervisor, windows.hypervisor ? "virtual" : "no hypervisor found",
                      windows.hypervisor ? plan::kSamplingInVirtualMachines : ""});
    const auto sources = etw::list_sources(api);
    const usize counters = sources.has_value() && !sources.value().empty() ? sources.value().size() - 1 : 0;
    checks.push_back(
        {"sources", counters != 0,
         fmt::format("the timer{}", counters != 0 ? fmt::format(" and {} of counters", counters) : std::string()),
         counters != 0 ? "" : "Windows shows no hardware counters; is this a virtual machine?"});
    for (const std::string& name : etw::leftovers(api)) {
      checks.push_back({"session", false, "a wperf that is no longer running left behind \"" + name + "\"",
                        "end it with `wperf doctor --fix`; the next `wperf record` ends it too"});
    }
    return checks;
  }
  std::vector<device::DeviceCheck> mend() override {
    etw::TraceApi& api = machine_->tracing();
    if (!api.machine().elevated) {
      return {{"fix", false, "only administrators can end trace sessions",
               "start wperf from an elevated prompt (Run as administrator)"}};
    }
    // This privilege is needed for sources, but not for sessions.
    const bool may = api.enable_privilege() == etw::kNoError;
    std::vector<etw::CleanupResult> done = etw::end_leftovers(api);
    if (may) std::ranges::move(etw::remove_left_sources(api), std::back_inserter(done));
    if (may) etw::put_back(api, api.own_process());
    std::vector<device::DeviceCheck> checks;
    for (etw::CleanupResult& one : done) checks.push_back({"fix", one.is_good, std::move(one.sentence), {}});
    return checks;
  }
  device::Programs& programs() override { return machine_->programs(); }
  device::DeviceIdentity identity() override {
    return {.instance_id = "etw", .hardware_ids = "Event Tracing for Windows"};
  }

 private:
  std::unique_ptr<TracingMachine> machine_;
  std::vector<etw::ProfileSource> sources_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<device::Device> make_etw_device(std::unique_ptr<TracingMachine> machine) {
  return std::make_unique<EtwDevice>(std::move(machine));
}

}  // namespace wperf::etw
