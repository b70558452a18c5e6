// SPDX-License-Identifier: BSD-3-Clause
// Plans for a system whose own kernel counts (Capabilities::kernel). Names are looked up in another order, wperf does
// not rotate events, and programs can be counted as well as cores.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// If the catalogue's event numbers are valid on this machine, its names have priority, so that a list means the same on
// every device. Returns nullopt if the token is neither a number nor a kernel name; then the catalogue decides.
diag::Result<std::optional<Entry>> make_kernel_entry(const request::EventToken& asked, const Capabilities& machine,
                                                     EventCatalog& catalog);

// There is no padding, because the kernel keeps groups together.
diag::Result<Schedule> kernel_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles,
                                       const Capabilities& machine);

// -p works only if the kernel supports it, and excludes cores and programs.
diag::Result<void> check_process(const request::Measurement& wanted, const Capabilities& machine);

}  // namespace wperf::plan
