// SPDX-License-Identifier: BSD-3-Clause
// Which filters SPE has, and whether this machine has SPE (contract 3.4).
#pragma once
#include "diag/result.h"
#include "plan/plan.h"
#include "request/request.h"

namespace wperf::plan {

bool has_spe(const Capabilities& machine);

// The hardware first, then the names, then the values.
diag::Result<void> check_spe(const request::SpeList& list, const Capabilities& machine);

}  // namespace wperf::plan
