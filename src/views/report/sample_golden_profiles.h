// SPDX-License-Identifier: BSD-3-Clause
// The sampling profiles behind the golden files. Called by the tests of this room only.
#pragma once
#include "model/answers/compat_profile.h"

namespace wperf::report::testing {

// Two events on one core: a hot function in a DLL, unknown addresses, another process, lines and code.
profile::CompatProfile two_events_sampled();
// Three cores, callers, time slices, lost samples, modules without PDB.
profile::CompatProfile three_cores_sampled();
profile::CompatProfile nothing_sampled();
// As many functions as asked for, with lines and code: documents of any size.
profile::CompatProfile many_functions_sampled(u32 functions);

}  // namespace wperf::report::testing
