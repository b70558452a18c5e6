// SPDX-License-Identifier: BSD-3-Clause
// Whether the machine has a DynamIQ Shared Unit whose registers the core that runs this code may access. The
// architecture has no register for this. IRQL <= DISPATCH_LEVEL, on the core in question.
#pragma once

namespace wperf::driver {

bool core_is_in_a_dsu();

}  // namespace wperf::driver
