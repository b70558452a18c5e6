// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/trace_losses.h"

#include "views/report/trace_facts_text.h"

namespace wperf::commands {

void add_lost_over_time(const std::vector<etl::LossEvent>& losses, stacks::TraceFacts& facts) {
  for (const etl::LossEvent& one : losses) {
    facts.lost_over_time.push_back(
        {.begin = one.begin_ns, .end = one.end_ns, .events = one.events, .buffers = one.buffers});
  }
}

void tell_trace_losses(const stacks::TraceFacts& trace, const request::Request& request, diag::Console& console) {
  for (const std::string& line : report::trace_loss_lines(trace, request.outputs.verbose)) {
    console.warn("warning: " + line);
  }
}

}  // namespace wperf::commands
