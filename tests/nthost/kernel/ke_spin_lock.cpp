// SPDX-License-Identifier: BSD-3-Clause
// KeAcquireSpinLockRaiseToDpc, KeReleaseSpinLock.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

bool late = false;
u32 late_returns = 0;

KSPIN_LOCK mark_of_this_core() {
  return current_cpu() + 1u;
}

// An APC routine that releases a lock with its last instruction has left the driver, although it has not returned. This
// code delays the return until the driver is gone.
void return_late() {
  for (u32 tries = 0; is_loaded() && tries < 2'000; ++tries) sleep_ns(500'000);
  if (!is_loaded()) __atomic_fetch_add(&late_returns, 1, __ATOMIC_RELAXED);
}

}  // namespace

void let_apcs_return_late(bool wanted) {
  __atomic_store_n(&late, wanted, __ATOMIC_RELEASE);
}
u32 apcs_that_returned_late() {
  return __atomic_load_n(&late_returns, __ATOMIC_RELAXED);
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" KIRQL KeAcquireSpinLockRaiseToDpc(KSPIN_LOCK* lock) {
  WPERF_ALLOW_UP_TO(kDispatch);
  const wperf::u32 before = current_irql();
  if (before < kDispatch) raise_irql(kDispatch);
  if (__atomic_load_n(lock, __ATOMIC_RELAXED) == mark_of_this_core()) {
    give_up("KeAcquireSpinLockRaiseToDpc: this core has the lock at {x}", lock);
  }
  for (KSPIN_LOCK free = 0;
       !__atomic_compare_exchange_n(lock, &free, mark_of_this_core(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
       free = 0) {
    asm volatile("yield");
  }
  return static_cast<KIRQL>(before);
}

extern "C" void KeReleaseSpinLock(KSPIN_LOCK* lock, KIRQL level) {
  WPERF_ALLOW_ONLY(kDispatch);
  if (__atomic_load_n(lock, __ATOMIC_RELAXED) != mark_of_this_core()) {
    fail("KeReleaseSpinLock: this core has not the lock at {x}", lock);
  }
  const bool leaves_the_driver = offset_in_driver(reinterpret_cast<wperf::u64>(__builtin_return_address(0))) == ~0ull;
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  lower_irql(level);
  if (__atomic_load_n(&late, __ATOMIC_ACQUIRE) && current_thread()->in_apc && leaves_the_driver) return_late();
}
