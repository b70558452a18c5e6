// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/lock.h"

#include "abi/wire.h"

namespace wperf::driver {
namespace {

bool was_preempted(const LockState& lock, ClientId client) {
  for (const ClientId preempted : lock.preempted) {
    if (preempted == client) {
      return true;
    }
  }
  return false;
}

void forget_preemption(LockState& lock, ClientId client) {
  u32 kept = 0;
  for (const ClientId preempted : lock.preempted) {
    if (preempted != client && preempted != 0) {
      lock.preempted[kept++] = preempted;
    }
  }
  for (; kept < kRememberedPreemptions; ++kept) {
    lock.preempted[kept] = 0;
  }
}

void remember_preemption(LockState& lock, ClientId client) {
  forget_preemption(lock, client);
  u32 used = 0;
  while (used < kRememberedPreemptions && lock.preempted[used] != 0) {
    ++used;
  }
  if (used == kRememberedPreemptions) {
    for (u32 i = 1; i < kRememberedPreemptions; ++i) {
      lock.preempted[i - 1] = lock.preempted[i];
    }
    --used;
  }
  lock.preempted[used] = client;
}

void hand_to(LockState& lock, ClientId client) {
  forget_preemption(lock, client);
  lock.holder = client;
}

}  // namespace

WperfStatus change_lock(LockState& lock, ClientId client, u32 action) {
  switch (action) {
    case WPERF_LOCK_ACQUIRE:
      if (lock.holder != 0 && lock.holder != client) {
        return WPERF_LOCK_BUSY;
      }
      hand_to(lock, client);
      return WPERF_OK;
    case WPERF_LOCK_FORCE:
      if (lock.holder != 0 && lock.holder != client) {
        remember_preemption(lock, lock.holder);
      }
      hand_to(lock, client);
      return WPERF_OK;
    case WPERF_LOCK_RELEASE:
      if (const WperfStatus status = check_lock(lock, client); status != WPERF_OK) {
        return status;
      }
      lock.holder = 0;
      return WPERF_OK;
    default:
      return WPERF_BAD_ARGUMENT;
  }
}

WperfStatus check_lock(const LockState& lock, ClientId client) {
  if (lock.holder == client) {
    return WPERF_OK;
  }
  return was_preempted(lock, client) ? WPERF_LOCK_LOST : WPERF_LOCK_NEEDED;
}

void forget_client(LockState& lock, ClientId client) {
  if (lock.holder == client) {
    lock.holder = 0;
  }
  forget_preemption(lock, client);
}

}  // namespace wperf::driver
