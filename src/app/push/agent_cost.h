// SPDX-License-Identifier: BSD-3-Clause
// The costs of the profiler itself, as events of the profile that it sends: a server shows them with the rest, by the
// same labels.
#pragma once
#include "base/ints.h"
#include "model/stacks/stack_profile.h"

namespace wperf::push {

inline constexpr char kAgentCpu[] = "wperf_agent_cpu", kAgentMemory[] = "wperf_agent_memory";

struct AgentCost {
  u64 cpu_ns = 0;  // in the time of the profile
  u64 resident_bytes = 0;
  u32 pid = 0;
};

// Two events with one sample each, in a function of that name; other events do not change.
void add_agent_cost(const AgentCost& cost, stacks::StackProfile& profile);

}  // namespace wperf::push
