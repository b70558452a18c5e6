// SPDX-License-Identifier: BSD-3-Clause
// Combines the plan (names, notes, metrics) and the counts into the profile of one count. Pure.
#pragma once
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/readings/counts.h"

namespace wperf::measure {

answers::CountProfile build_count_profile(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                          const plan::EventCatalog& catalog, const readings::CountCapture& capture);

}  // namespace wperf::measure
