// SPDX-License-Identifier: BSD-3-Clause
// The part of `stat` that makes the profile: plan, program, counting. run_stat writes it as text, JSON and CSV; the C
// API returns it row by row.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/measure/counting.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/counter_events.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Returns an error if no event is named.
diag::Result<plan::CountPlan> plan_counts(const request::Measurement& wanted, OpenedMachine& machine);

// Prints what -v shows before counting.
void print_plan(const plan::CountPlan& plan, const OpenedMachine& machine,
                const std::vector<output::TimelineFile>& files, diag::Console& console);

// Starts the program, if there is one, and waits for its start-up; or finds the process of -p. Stores the process in
// the plan.
diag::Result<void> start_program(const MeasureOptions& options, plan::CountPlan& plan, OpenedMachine& machine,
                                 SpawnedProgram& program, diag::Console& console);

struct MeasuredCount {
  answers::CountProfile profile;
  std::optional<diag::Error> error;  // the program crashed; the counts before that are valid
};
diag::Result<MeasuredCount> measure_count(const MeasureOptions& options, const plan::CountPlan& plan,
                                          OpenedMachine& machine, const SpawnedProgram& program,
                                          diag::Console& console);

// A count between two calls of the user. `machine` must outlive this object.
class CountSection {
 public:
  static diag::Result<std::unique_ptr<CountSection>> begin(plan::CountPlan plan, OpenedMachine& machine,
                                                           diag::Console& console);
  diag::Result<answers::CountProfile> end();

 private:
  CountSection(plan::CountPlan plan, OpenedMachine& machine) : plan_(std::move(plan)), machine_(machine) {}
  diag::Result<void> let_time_pass();

  plan::CountPlan plan_;
  OpenedMachine& machine_;
  std::unique_ptr<device::CountSession> session_;
  std::chrono::steady_clock::time_point begun_;
  u64 machine_begun_ns_ = 0;
};

struct MeasuredTimeline {
  answers::TimelineProfile profile;  // includes counts from before an error
  std::optional<diag::Error> error;  // the error that ended it early
};
MeasuredTimeline measure_timeline(const MeasureOptions& options, const plan::CountPlan& plan, OpenedMachine& machine,
                                  const SpawnedProgram& program, diag::Console& console);

// Sends the counters of a count to system-wide event recorders (contract 11.4). Called after each count of `stat`. Does
// nothing if no recorder listens.
void trace_counters(const answers::CountProfile& profile);
// Calls visit() with an event for each counter, in the order of class, unit and row.
void for_each_counter(const answers::CountProfile& profile, const std::function<void(const os::CounterEvent&)>& visit);

}  // namespace wperf::measure
