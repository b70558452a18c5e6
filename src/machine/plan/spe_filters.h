// SPDX-License-Identifier: BSD-3-Clause
// The settings that `-e arm_spe_0/NAME=VALUE,…/` takes (contract 3.4, and wperf's own), and whether this machine has
// SPE.
#pragma once
#include <string_view>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "machine/plan/spe_plan.h"
#include "model/request/sampling_options.h"

namespace wperf::plan {

inline constexpr u64 kGreatestSpeInterval = 0xffffff00;  // PMSIRR_EL1.INTERVAL: 24 bits, in units of 256 operations

struct SpeSetting {
  std::string_view name, alias;  // alias may be empty
  u64 least, greatest;
  void (*apply)(SpePlan& plan, u64 value);
};
const SpeSetting* find_spe_setting(std::string_view name);  // by name or alias; null if there is none

bool has_spe(const Capabilities& machine);

// Checks first the hardware, then the names, then the values.
diag::Result<void> check_spe(const request::SpeList& list, const Capabilities& machine);

// The abilities of the hardware, from PMSIDR_EL1.
struct SpeAbilities {
  bool filters_events, filters_types, filters_latency, filters_absent_events;
  u32 least_interval;  // operations
  u32 latency_bits;
};
SpeAbilities spe_abilities(u64 pmsidr);

}  // namespace wperf::plan
