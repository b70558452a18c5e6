// SPDX-License-Identifier: BSD-3-Clause
// The lock: one client at a time holds the driver. A state machine over plain data.
#pragma once
#include "abi/status.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

inline constexpr u32 kRememberedPreemptions = 8;

// Plain data, so that a shell can store it in memory or a file that several processes share (sim does).
struct LockState {
  ClientId holder = 0;                              // 0 = free
  ClientId preempted[kRememberedPreemptions] = {};  // clients that lost it by force and have not acquired it again;
                                                    // oldest first
};

// `action` is one of WPERF_LOCK_*. Force always succeeds; a release by a client that is not the holder has no effect.
[[nodiscard]] WperfStatus change_lock(LockState& lock, ClientId client, u32 action);

// The status of a request that needs the lock: WPERF_OK, WPERF_LOCK_LOST (until the client acquires again) or
// WPERF_LOCK_NEEDED.
[[nodiscard]] WperfStatus check_lock(const LockState& lock, ClientId client);

// The client's last handle closed or its process died.
void forget_client(LockState& lock, ClientId client);

}  // namespace wperf::driver
