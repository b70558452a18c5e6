// SPDX-License-Identifier: BSD-3-Clause
#include "plan/default_events.h"

namespace wperf::plan {

bool wants_default_events(const request::Request& request) {
  const bool measured = request.program.has_value() || request.process.has_value() || !request.cores.empty() ||
                        request.timeout.has_value();
  return request.command == request::Command::stat && request.items.empty() && measured;
}

request::EventList default_events(const KernelEvents& kernel, bool of_program) {
  std::vector<const char*> names = {of_program ? "task-clock" : "cpu-clock", "context-switches", "cpu-migrations",
                                    "page-faults"};
  if (kernel.has_counters()) {
    names.insert(names.end(), {"cycles", "instructions", "branches", "branch-misses"});
  }
  request::EventList list;
  for (const char* name : names) list.tokens.emplace_back().text = name;
  return list;
}

}  // namespace wperf::plan
