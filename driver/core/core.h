// SPDX-License-Identifier: BSD-3-Clause
// The whole driver but for its shell. One Core is one driver: the shell makes it, hands it every request of every
// client (one at a time: the shell serialises), and calls on_timer and client_gone.
// (sketch: the public face; internals are the driver room's own)
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

using ClientId = u64;  // never 0; the shell gives each open handle its own

// Who holds the driver. Plain data, so that a shell may keep it where several processes see it (sim does).
struct LockState {
  ClientId holder = 0;       // 0 = free
  ClientId robbed[8] = {};   // clients that lost it by force and have not been told yet; oldest dropped first
};

struct Rights {
  bool administrator = false;
};

}  // namespace wperf::driver
