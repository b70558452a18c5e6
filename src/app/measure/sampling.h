// SPDX-License-Identifier: BSD-3-Clause
// One sampling run: configure, let time pass with progress, collect the rings' samples, stop.
#pragma once
#include <functional>

#include "app/measure/collecting.h"
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/sample_plan.h"
#include "model/readings/samples.h"

namespace wperf::measure {

struct SamplingOutcome {
  plan::SamplePlan plan;            // with the intervals that were used
  readings::SampleCapture capture;  // without the samples
  Collection collection;
};

// `begin` gets the plan as it is used, then `take` the samples as they are drained.
struct SampleSink {
  std::function<diag::Result<void>(const plan::SamplePlan&)> begin;
  std::function<void(readings::SampleCapture&)> take;
};
diag::Result<SamplingOutcome> sample_once(Machine& machine, const plan::SamplePlan& plan, const Until& until,
                                          diag::Console& console, const SampleSink& sink);

// If the plan has a rate: short runs that only measure how often each event happens; they end when the intervals have
// settled, or with process `pid`; 0: no process.
diag::Result<void> adapt_intervals(Machine& machine, plan::SamplePlan& plan, u32 pid);

}  // namespace wperf::measure
