// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "commands/commands.h"
#include "measure/count_runs.h"
#include "measure/measure_counts.h"
#include "output/outputs.h"
#include "plan/default_events.h"
#include "report/count_report.h"
#include "request/sample_target.h"

namespace wperf::commands {
namespace {

// The program writes where we write: what is said once is not said again in between.
class FollowingRun final : public diag::Console {
 public:
  explicit FollowingRun(diag::Console& console) : console_(console) {}
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view line) override { console_.warn(line); }
  bool animated() const override { return false; }
  bool interrupted() const override { return console_.interrupted(); }

 private:
  diag::Console& console_;
};

int status_of(const request::Request& request, measure::Machine& machine, const measure::SpawnedProgram& program,
              const diag::Console& console) {
  if (!request.program.has_value() || console.interrupted()) return 0;
  return measure::status_of_program(machine, machine.device->programs().process(program.pid()));
}

diag::Result<void> show_count(const request::Request& request, const profile::CountProfile& profile,
                              diag::Console& console) {
  console.out(report::count_text(profile, {.verbose = request.outputs.verbose}));
  if (!output::wants_json(request.outputs)) return {};
  return output::deliver_json(request.outputs, report::count_json(profile), console);
}

// What the counts lack where nobody said what to count.
void explain_defaults(const request::Request& request, const measure::Machine& machine,
                      profile::CountProfile& profile) {
  const plan::KernelEvents* kernel = machine.capabilities.kernel.get();
  if (kernel == nullptr || !plan::wants_default_events(request) || kernel->has_counters()) return;
  profile.remarks.push_back("cycles, instructions and branches are not counted: " + kernel->why_no_cycles());
}

// -r: the worst status is that of all.
diag::Result<int> run_counts(const request::Request& request, plan::CountPlan& plan, measure::Machine& machine,
                             diag::Console& console) {
  FollowingRun following(console);
  std::vector<profile::CountProfile> profiles;
  int status = 0;
  for (u32 run = 0; run < request.runs.value_or(1) && !console.interrupted(); ++run) {
    diag::Console& heard = run == 0 ? console : following;
    measure::SpawnedProgram program(machine.device->programs());
    WPERF_CHECK_OK(measure::start_program(request, plan, machine, program, heard));
    WPERF_TRY(measure::MeasuredCount count, measure::measure_count(request, plan, machine, program, heard));
    status = std::max(status, status_of(request, machine, program, console));
    // A run that was cut short would spoil the mean.
    if (run == 0 || !console.interrupted()) profiles.push_back(std::move(count.profile));
    if (!count.trouble.has_value()) continue;
    WPERF_CHECK_OK(show_count(request, measure::mean_of_runs(profiles), console));
    return *count.trouble;
  }
  profile::CountProfile profile = measure::mean_of_runs(profiles);
  explain_defaults(request, machine, profile);
  WPERF_CHECK_OK(show_count(request, profile, console));
  return status;
}

diag::Result<void> check_runs(const request::Request& request) {
  if (!request.runs.has_value() || (request.program.has_value() && !request.timeline.enabled)) return {};
  return diag::Error{.text = "-r counts a program several times; it needs one to start, and does not go with -t",
                     .hint = "wperf stat -r 5 -- PROGRAM",
                     .code = diag::ExitCode::usage};
}

diag::Result<void> run_timeline(const request::Request& request, const plan::CountPlan& plan, measure::Machine& machine,
                                const measure::SpawnedProgram& program, diag::Console& console,
                                const std::vector<output::TimelineFile>& files) {
  profile::TimelineProfile timeline;
  auto measured = measure::measure_timeline(request, plan, machine, program, console, timeline);
  // What was counted before an error is still written.
  auto written = output::write_timeline_files(timeline, files, console);
  console.out(report::timeline_notes(timeline));
  if (request.outputs.json)
    WPERF_CHECK_OK(output::deliver_json(request.outputs, report::timeline_json(timeline), console));
  return measured.has_value() ? written : measured;
}

}  // namespace

diag::Result<int> run_stat(const request::Request& request, diag::Console& console) {
  WPERF_CHECK_OK(check_runs(request));
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(request, machine));
  std::vector<output::TimelineFile> files;
  if (request.timeline.enabled) files = output::timeline_files(request, plan);
  if (request.outputs.verbose) measure::tell_plan(plan, machine, files, console);
  if (!request.timeline.enabled) return run_counts(request, plan, machine, console);
  measure::SpawnedProgram program(machine.device->programs());
  WPERF_CHECK_OK(measure::start_program(request, plan, machine, program, console));
  WPERF_CHECK_OK(run_timeline(request, plan, machine, program, console, files));
  return status_of(request, machine, program, console);
}

}  // namespace wperf::commands
