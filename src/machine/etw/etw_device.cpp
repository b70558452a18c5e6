// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/etw_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ground/os/recording_file.h"
#include "machine/etw/etw_counting.h"
#include "machine/etw/recording_profile.h"
#include "machine/etw/trace_events.h"
#include "machine/etw/trace_session.h"
#include "machine/plan/virtual_machine.h"

namespace wperf::etw {
namespace {

class TraceRecordingSession final : public device::RecordingSession {
 public:
  // `unnamed`: the file where the trace goes, if it is to be gone afterwards.
  TraceRecordingSession(etw::TraceApi& api, device::Programs& programs, etw::SessionPlan plan,
                        std::optional<os::RecordingFile> unnamed)
      : api_(api), programs_(programs), plan_(std::move(plan)), unnamed_(std::move(unnamed)) {}

  diag::Result<void> start() override {
    WPERF_TRY(session_, etw::Session::start(api_, plan_));
    begin_ns_ = told_ns_ = programs_.now_ns();
    return {};
  }
  diag::Result<u64> written() override {
    WPERF_TRY(const etw::SessionState state, session_->state());
    constexpr u64 kTellEveryNs = 1'000'000'000;
    if (programs_.now_ns() - told_ns_ >= kTellEveryNs) note_losses(state);
    written_ = u64{state.buffers_written} * kBufferBytes;
    return written_;
  }
  diag::Result<void> stop() override {
    auto state = session_->stop();
    if (state.has_value()) {
      note_losses(state.value());
    } else {
      trouble_ = std::move(state).error();
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
  const std::optional<diag::Error>& trouble() const override { return trouble_; }
  std::vector<std::string> remarks() const override {
    return session_ != nullptr ? session_->remarks() : std::vector<std::string>();
  }

 private:
  static constexpr u64 kBufferBytes = 1 << 20;

  void note_losses(const etw::SessionState& state) {
    const u64 now_ns = programs_.now_ns();
    const u64 events = state.events_lost, buffers = u64{state.log_buffers_lost} + state.real_time_buffers_lost;
    // Another process that ended the session may leave less in it than there was.
    const u64 more_events = events - std::min(events, events_lost_);
    const u64 more_buffers = buffers - std::min(buffers, buffers_lost_);
    if (more_events + more_buffers != 0) {
      losses_.push_back({told_ns_ - begin_ns_, now_ns - begin_ns_, more_events, more_buffers});
    }
    events_lost_ = std::max(events, events_lost_);
    buffers_lost_ = std::max(buffers, buffers_lost_);
    told_ns_ = now_ns;
  }

  etw::TraceApi& api_;
  device::Programs& programs_;
  etw::SessionPlan plan_;
  std::optional<os::RecordingFile> unnamed_;
  std::unique_ptr<etw::Session> session_;
  u64 written_ = 0;
  u64 begin_ns_ = 0, told_ns_ = 0, events_lost_ = 0, buffers_lost_ = 0;
  std::vector<Loss> losses_;
  std::optional<diag::Error> trouble_;
};

// If Windows does not say how many there are.
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
    const etw::TraceApi::Machine windows = machine_->tracing().machine();
    plan::Capabilities machine;
    machine.core_count = static_cast<u32>(windows.core_midr.size());
    machine.core_midr = windows.core_midr;
    machine.midr = windows.core_midr.empty() ? 0 : windows.core_midr.front();
    machine.counter_map.fill(0xff);
    machine.device_id = "etw";
    // A user who may not ask sees the timer, which always exists.
    auto sources = etw::list_sources(machine_->tracing());
    sources_ = sources.has_value() ? std::move(sources).value() : std::vector<etw::ProfileSource>();
    machine.cycle_counters = 0;  // cycles are an event as any other
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
      return diag::Error{.text = "Windows records traces, and " + target.file + " does not end in .etl",
                         .hint = "use a name such as FILE.etl",
                         .code = diag::ExitCode::usage};
    }
    etw::SessionPlan session{.sources = {},
                             .stacks = true,  // they cost little, and every view has them
                             .cores = static_cast<u32>(machine_->tracing().machine().core_midr.size()),
                             .force = force_,
                             .file = target.file};
    WPERF_CHECK_OK(etw::plan_session(plan, sources_, session));
    std::optional<os::RecordingFile> unnamed;
    if (session.file.empty()) {
      WPERF_TRY(os::RecordingFile made, os::RecordingFile::create({}));
      made.close();  // Windows writes it, not we
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
    const etw::TraceApi::Machine windows = api.machine();
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
    const bool may = api.enable_privilege() == etw::kNoError;  // sources need this privilege, sessions do not
    std::vector<etw::Mended> done = etw::end_leftovers(api);
    if (may) std::ranges::move(etw::remove_left_sources(api), std::back_inserter(done));
    if (may) etw::put_back(api, api.own_process());
    std::vector<device::DeviceCheck> checks;
    for (etw::Mended& one : done) checks.push_back({"fix", one.is_good, std::move(one.sentence), {}});
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
