// SPDX-License-Identifier: BSD-3-Clause
// The emulated UART (PL011), which QEMU connects to a TCP port. Used from one thread.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

void open_line();
// Sleeps until the first byte arrives, then spins for the other bytes, because they follow at once.
void receive(void* bytes, u32 size);
void send(const void* bytes, u32 size);

}  // namespace wperf::nthost
