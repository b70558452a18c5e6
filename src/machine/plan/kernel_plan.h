// SPDX-License-Identifier: BSD-3-Clause
// How a plan differs if the system's own kernel counts (Capabilities::kernel): the order in which names are looked up,
// no rotation by wperf, programs in addition to cores.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"

namespace wperf::plan {

// If the event numbers of the catalogue are valid here, its names have priority, so that a list means the same on every
// device. nullopt if it is neither a number nor a name of the kernel; then the catalogue decides.
diag::Result<std::optional<Entry>> make_kernel_entry(const request::EventToken& asked, const Capabilities& machine,
                                                     EventCatalog& catalog);

// No padding: the kernel keeps groups together by itself.
diag::Result<Schedule> kernel_schedule(std::vector<std::vector<Entry>> groups, std::vector<Entry> singles,
                                       const Capabilities& machine);

// -p works only if the kernel supports it, and excludes cores and programs.
diag::Result<void> check_process(const request::Measurement& wanted, const Capabilities& machine);

}  // namespace wperf::plan
