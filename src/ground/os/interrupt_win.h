// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C as something to wait for, in addition to the flag of process.h.
#pragma once

namespace wperf::os {

// A HANDLE that is signalled from the first Ctrl-C on; null before catch_interrupt().
void* interrupt_event();

}  // namespace wperf::os
