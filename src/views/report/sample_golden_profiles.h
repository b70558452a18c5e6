// SPDX-License-Identifier: BSD-3-Clause
// The sampling profiles of the golden files. For tests only.
#pragma once
#include "model/answers/compat_profile.h"

namespace wperf::report::testing {

// Two events on one core: a hot function in a DLL, unknown addresses, another process, lines and code.
answers::CompatProfile two_events_sampled();
// Three cores, callers, time slices, lost samples, modules without PDB.
answers::CompatProfile three_cores_sampled();
answers::CompatProfile nothing_sampled();
// As many functions as asked for, with lines and code: documents of any size.
answers::CompatProfile many_functions_sampled(u32 functions);

}  // namespace wperf::report::testing
