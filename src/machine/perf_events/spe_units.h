// SPDX-License-Identifier: BSD-3-Clause
// Arm SPE as sysfs describes it: the units arm_spe_0, arm_spe_1 …, one for each kind of core, their abilities, and the
// words of perf_event_attr for a plan's filters.
#pragma once
#include <vector>

#include "machine/perf_events/units.h"
#include "machine/plan/spe_plan.h"

namespace wperf::perf_events {

std::vector<Unit> spe_units(const std::vector<Unit>& units);
const Unit* spe_unit_of_core(const std::vector<Unit>& spe_units, u32 core);  // null: that core has no SPE

// The values of the registers of these names, as plan asks them. All zero: there is no unit.
struct SpeIdentity {
  u64 id_aa64dfr0 = 0, pmsidr = 0;
};
SpeIdentity spe_identity(const SystemFiles& files, const std::vector<Unit>& spe_units);

diag::Result<plan::KernelEvent> spe_event(const SystemFiles& files, const Unit& unit, const plan::SpePlan& plan);

}  // namespace wperf::perf_events
