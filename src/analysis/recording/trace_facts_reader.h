// SPDX-License-Identifier: BSD-3-Clause
// When cores of a trace were not recorded, in the time of the recording that is made from it: one nanosecond later than
// the trace's own.
#pragma once
#include <vector>

#include "formats/etl/kernel_payloads.h"
#include "formats/etl/trace.h"
#include "model/stacks/switches.h"

namespace wperf::recording {

std::vector<stacks::Unrecorded> unrecorded_of(const etl::Trace& trace, const etl::TraceLosses& losses,
                                              const std::vector<etl::LossEvent>& lost_over_time);

}  // namespace wperf::recording
