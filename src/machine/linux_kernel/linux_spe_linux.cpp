// SPDX-License-Identifier: BSD-3-Clause
// Statistical profiling (Arm SPE) with the kernel's driver: one event with an AUX area for each core.
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "machine/linux_kernel/linux_sessions_linux.h"
#include "machine/perf_events/rings_linux.h"
#include "machine/perf_events/units.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::AuxRing;
using perf_events::Descriptor;
using perf_events::Scope;
using perf_events::SystemFiles;
using perf_events::Unit;

class LinuxSpeSession final : public device::SpeSession {
 public:
  explicit LinuxSpeSession(bool starts_with_program) : starts_with_program_(starts_with_program) {}
  ~LinuxSpeSession() override { switch_all(PERF_EVENT_IOC_DISABLE); }

  diag::Result<void> open_core(const plan::SpePlan& plan, const Unit& unit, u32 core, int thread);
  bool is_empty() const { return rings_.empty(); }

  diag::Result<void> start() override {
    if (!starts_with_program_) switch_all(PERF_EVENT_IOC_ENABLE);
    return {};
  }
  diag::Result<void> stop() override {
    switch_all(PERF_EVENT_IOC_DISABLE);
    return {};
  }
  diag::Result<void> drain(const readings::SpeSink& sink) override {
    core_statistics_.clear();
    for (AuxRing& ring : rings_) {
      ring.drain(sink);
      core_statistics_.push_back(ring.statistics());
    }
    return {};
  }
  const std::vector<readings::SpeStatistics>& core_statistics() const override { return core_statistics_; }

 private:
  void switch_all(unsigned long request) {
    for (const Descriptor& event : events_) ioctl(event.number(), request, 0);
  }

  bool starts_with_program_;
  std::vector<Descriptor> events_;
  std::vector<AuxRing> rings_;  // declared before events_, so that the rings are unmapped after their events are closed
  std::vector<readings::SpeStatistics> core_statistics_;
};

diag::Result<void> LinuxSpeSession::open_core(const plan::SpePlan& plan, const Unit& unit, u32 core, int thread) {
  WPERF_TRY(const plan::KernelEvent wanted, perf_events::spe_event(SystemFiles(), unit, plan));
  perf_event_attr attributes = perf_events::attributes_of(wanted, plan.kernel);
  attributes.sample_period = plan.interval;
  attributes.inherit = thread >= 0 ? 1 : 0;
  attributes.enable_on_exec = starts_with_program_ ? 1 : 0;
  const Scope scope{.thread = thread, .core = static_cast<int>(core)};
  Descriptor event = perf_events::open_event(attributes, scope);
  if (!event.is_open()) return perf_events::refusal(errno, unit.name, true, plan.kernel, scope);
  WPERF_TRY(AuxRing ring, AuxRing::map(event, core, plan.buffer_bytes));
  events_.push_back(std::move(event));
  rings_.push_back(std::move(ring));
  return {};
}

}  // namespace

diag::Result<std::unique_ptr<device::SpeSession>> open_linux_spe(LinuxPrograms& programs, const LinuxMachine& machine,
                                                                 const plan::SpePlan& plan) {
  const std::vector<Unit> units = perf_events::spe_units(machine.units);
  auto session = std::make_unique<LinuxSpeSession>(plan.process.has_value() && programs.is_held(*plan.process));
  // Threads started by a program are followed. A program that already runs needs an event for each of its threads,
  // because they do not inherit the first thread's event.
  std::vector<int> threads{-1};
  if (plan.process.has_value()) threads = programs.threads_to_watch(*plan.process);
  if (threads.size() > 1) {
    return diag::usage_error(
        "SPE cannot be used on a running program with several threads",
        "start the program with `wperf record ... -- PROGRAM`, or leave out -p to profile whole cores");
  }
  for (const u32 core : plan.cores) {
    const Unit* unit = perf_events::spe_unit_of_core(units, core);
    if (unit != nullptr) WPERF_CHECK_OK(session->open_core(plan, *unit, core, threads.front()));
  }
  if (!session->is_empty()) return std::unique_ptr<device::SpeSession>(std::move(session));
  return diag::Error{.text = "none of these cores has SPE",
                     .hint = fmt::format("{}*/cpumask lists the cores that have it",
                                         std::string(perf_events::kUnitFolder) + "arm_spe_"),
                     .code = diag::ExitCode::no_device};
}

}  // namespace wperf::linux_kernel
