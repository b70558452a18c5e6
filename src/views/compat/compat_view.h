// SPDX-License-Identifier: BSD-3-Clause
// The view for WindowsPerf's text and JSON (contract 9): the functions of one program, ordered by samples. Addresses
// outside of the program are grouped by kind. Pure.
#pragma once
#include <utility>
#include <vector>

#include "model/answers/sampled_run.h"
#include "model/stacks/stack_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

// `fixed_code`: number of the event to be shown as the fixed counter.
CompatView make_view(const stacks::StackProfile& from, answers::SampledRun run, u16 fixed_code);
// For SPE, which has no fixed counter.
inline CompatView make_view(const stacks::StackProfile& from, answers::SampledRun run) {
  return make_view(from, std::move(run), 0);
}

}  // namespace wperf::compat
