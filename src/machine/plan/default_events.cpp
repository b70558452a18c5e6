// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/default_events.h"

#include <algorithm>

namespace wperf::plan {

bool wants_default_events(const request::Measurement& wanted) {
  const bool measured = wanted.of_program() || !wanted.cores.empty() || wanted.timeout.has_value();
  return wanted.command == request::Command::stat && wanted.items.empty() && measured;
}

namespace {

// The events that every Windows can count, if this machine has them.
request::EventList default_events_of_windows(const KernelEvents& kernel) {
  const auto is_known = [&](const char* name) {
    const auto found = kernel.find(name);
    return found.has_value() && found.value().has_value();
  };
  std::vector<const char*> names = {"task-clock", "context-switches"};
  for (const char* name : {"totalcycles", is_known("instructionretired") ? "instructionretired" : "totalissues",
                           "branchinstructions", "branchmispredictions"}) {
    if (is_known(name)) names.push_back(name);
  }
  request::EventList list;
  for (const char* name : names) list.tokens.emplace_back().text = name;
  return list;
}

}  // namespace

request::EventList default_events(const KernelEvents& kernel, bool of_program) {
  if (kernel.is_windows()) return default_events_of_windows(kernel);
  std::vector<const char*> names = {of_program ? "task-clock" : "cpu-clock", "context-switches", "cpu-migrations",
                                    "page-faults"};
  if (kernel.has_counters()) {
    names.insert(names.end(), {"cycles", "instructions", "branches", "branch-misses"});
  }
  request::EventList list;
  for (const char* name : names) list.tokens.emplace_back().text = name;
  return list;
}

request::EventList default_events(const Capabilities& machine) {
  const std::vector<pmu::Product> kinds = kinds_of_cores(machine);
  const auto is_known = [&](const char* name) {
    return std::all_of(kinds.begin(), kinds.end(), [&](pmu::Product kind) { return kind.find_event(name); });
  };
  request::EventList list;
  for (const char* name :
       {"inst_retired", "br_retired", "br_mis_pred_retired", "l1d_cache_refill", "l2d_cache_refill"}) {
    if (list.tokens.size() == machine.counters_free[index_of(EventClass::core)]) break;
    if (is_known(name)) list.tokens.emplace_back().text = name;
  }
  return list;
}

}  // namespace wperf::plan
