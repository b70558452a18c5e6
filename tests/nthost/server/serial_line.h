// SPDX-License-Identifier: BSD-3-Clause
// The emulated UART (PL011), which QEMU ties to a TCP port. Used from one thread.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

void open_line();
// Waits for the first byte without burning its core, and for the others while spinning: they follow at once.
void receive(void* bytes, u32 size);
void send(const void* bytes, u32 size);

}  // namespace wperf::nthost
