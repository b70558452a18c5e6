// SPDX-License-Identifier: BSD-3-Clause
// The losses of a trace of Windows, reported before all results.
#pragma once
#include "formats/etl/kernel_payloads.h"
#include "ground/diag/console.h"
#include "model/request/request.h"
#include "model/stacks/trace_facts.h"

namespace wperf::commands {

void add_lost_over_time(const std::vector<etl::LossEvent>& losses, stacks::TraceFacts& facts);
// As warnings; the JSON of answers has them too.
void tell_trace_losses(const stacks::TraceFacts& trace, const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
