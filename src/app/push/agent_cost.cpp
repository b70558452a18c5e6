// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/agent_cost.h"

namespace wperf::push {
namespace {

// The count is the value itself: formats that hold only counts have it, too.
void add_event(const char* name, u32 type, u64 code, u64 value, u32 task, u32 node, stacks::StackProfile& profile) {
  if (value == 0) return;
  const auto event = static_cast<u32>(profile.events.size());
  profile.events.push_back(
      {.name = name, .samples = value, .period = value, .type = type, .code = code, .interval = 0});
  profile.samples.push_back({.event = event, .task = task, .core = 0, .node = node, .count = value, .period = value});
}

}  // namespace

void add_agent_cost(const AgentCost& cost, stacks::StackProfile& profile) {
  constexpr u32 kSoftware = 1, kNoType = ~u32{0};
  constexpr u64 kTaskClock = 1;
  const auto name = static_cast<u32>(profile.names.size());
  profile.names.emplace_back("wperf");
  const auto task = static_cast<u32>(profile.tasks.size());
  profile.tasks.push_back({.pid = cost.pid, .tid = cost.pid, .name = name});
  const auto module = static_cast<u32>(profile.modules.size());
  profile.modules.push_back({.name = "wperf", .path = {}, .reason = {}});
  const auto function = static_cast<u32>(profile.functions.size());
  profile.functions.push_back({.name = "wperf (the profiler)", .module = module, .is_known = true});
  const auto place = static_cast<u32>(profile.places.size());
  profile.places.push_back({.function = function});
  const auto root = static_cast<u32>(profile.nodes.size());
  profile.nodes.push_back({});
  profile.nodes.push_back({.parent = root, .place = place});
  add_event(kAgentCpu, kSoftware, kTaskClock, cost.cpu_ns, task, root + 1, profile);
  add_event(kAgentMemory, kNoType, 0, cost.resident_bytes, task, root + 1, profile);
}

}  // namespace wperf::push
