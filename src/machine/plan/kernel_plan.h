// SPDX-License-Identifier: BSD-3-Clause
// What is different where the system's own kernel counts (Capabilities::kernel): whose word is asked first, no turns of
// ours, programs besides cores. Called by count_plan.cpp and sample_plan.cpp.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// Where the event numbers of the catalogue hold, its names go first, so that a list means the same on every device.
// Nothing: neither a number nor a word of the kernel; the catalogue says.
diag::Result<std::optional<Entry>> make_kernel_entry(const request::EventToken& asked, const Capabilities& machine,
                                                     EventCatalog& catalog);

// No padding: the kernel keeps groups together by itself.
diag::Result<Schedule> kernel_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles,
                                       const Capabilities& machine);

// -p: only where the kernel can, and instead of cores and programs.
diag::Result<void> check_process(const request::Request& request, const Capabilities& machine);

}  // namespace wperf::plan
