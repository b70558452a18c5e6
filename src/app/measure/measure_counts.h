// SPDX-License-Identifier: BSD-3-Clause
// `stat` up to its profile: plan, program, counting. The caller uses the profile: run_stat writes it as text, JSON and
// CSV, the C API hands it out row by row.
#pragma once
#include <optional>
#include <vector>

#include "app/measure/counting.h"
#include "app/measure/opened_machine.h"
#include "app/output/timeline_files.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/request/request.h"

namespace wperf::measure {

// A request that names no event is an error here.
diag::Result<plan::CountPlan> plan_counts(const request::Request& request, Machine& machine);

// The lines of -v before counting.
void tell_plan(const plan::CountPlan& plan, const Machine& machine, const std::vector<output::TimelineFile>& files,
               diag::Console& console);

// Starts the request's program, if there is one, and lets its start-up pass; or finds the process of -p. Enters the
// process into the plan.
diag::Result<void> start_program(const request::Request& request, plan::CountPlan& plan, Machine& machine,
                                 SpawnedProgram& program, diag::Console& console);

struct MeasuredCount {
  answers::CountProfile profile;
  std::optional<diag::Error> trouble;  // the program crashed; the counts until then are good
};
diag::Result<MeasuredCount> measure_count(const request::Request& request, const plan::CountPlan& plan,
                                          Machine& machine, const SpawnedProgram& program, diag::Console& console);

// Fills `timeline` count by count; counts from before an error stay in it.
diag::Result<void> measure_timeline(const request::Request& request, const plan::CountPlan& plan, Machine& machine,
                                    const SpawnedProgram& program, diag::Console& console,
                                    answers::TimelineProfile& timeline);

}  // namespace wperf::measure
