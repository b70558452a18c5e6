// SPDX-License-Identifier: BSD-3-Clause
// The sampling profiles of the golden files. For tests only.
#pragma once
#include "views/compat/compat_rows.h"

namespace wperf::report::testing {

// Two events on one core: a hot function in a DLL, unknown addresses, another process, lines and code.
compat::CompatView two_events_sampled();
// Three cores, callers, time slices, lost samples, modules without PDB.
compat::CompatView three_cores_sampled();
compat::CompatView nothing_sampled();
// As many functions as asked for, with lines and code: documents of any size.
compat::CompatView many_functions_sampled(u32 functions);

}  // namespace wperf::report::testing
