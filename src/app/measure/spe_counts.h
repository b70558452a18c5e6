// SPDX-License-Identifier: BSD-3-Clause
// Counts made during statistical profiling (contract 3.4, 9.9): cycles, and how many operations were chosen, filtered
// and lost. Stored in the recording.
#pragma once
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "formats/perf_data/run_facts.h"
#include "machine/plan/plan.h"
#include "machine/plan/spe_plan.h"
#include "model/answers/count_profile.h"
#include "model/readings/counts.h"

namespace wperf::measure {

plan::CountPlan population_plan(const plan::SpePlan& plan, const plan::Capabilities& machine);

perf_data::CountedFacts counted_facts(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                      const readings::CountCapture& capture);
// Made from the capture; see count_profile_builder.h.
answers::CountProfile counted_profile(const perf_data::CountedFacts& counted);

// The sampling population of all cores, and the number of recorded samples on each of `cores`.
operations::SpePopulation population_of(const answers::CountProfile& counting);
std::vector<u64> recorded_of_cores(const answers::CountProfile& counting,
                                   const std::vector<operations::SpeCore>& cores);

}  // namespace wperf::measure
