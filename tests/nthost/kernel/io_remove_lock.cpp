// SPDX-License-Identifier: BSD-3-Clause
// IoInitializeRemoveLockEx, IoAcquireRemoveLockEx, IoReleaseRemoveLockEx, IoReleaseRemoveLockAndWaitEx.
#include "driver/nt/nt.h"
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"

using namespace wperf::nthost;

namespace {

void check_lock(const IO_REMOVE_LOCK& lock, ULONG size, const char* function) {
  if (size != sizeof(IO_REMOVE_LOCK)) fail("{}: a remove lock of {} bytes", function, size);
  if (lock.Common.RemoveEvent.Header.WaitListHead.Flink == nullptr) give_up("{}: not initialised", function);
}

LONG let_go(IO_REMOVE_LOCK& lock, const char* function) {
  const LONG left = __atomic_sub_fetch(&lock.Common.IoCount, 1, __ATOMIC_ACQ_REL);
  if (left < 0) give_up("{}: released once too often", function);
  if (left == 0) {
    if (!lock.Common.Removed) give_up("{}: released once too often", function);
    KeSetEvent(&lock.Common.RemoveEvent, 0, FALSE);
  }
  return left;
}

}  // namespace

extern "C" void IoInitializeRemoveLockEx(IO_REMOVE_LOCK* lock, ULONG tag, ULONG max_minutes, ULONG high_watermark,
                                         ULONG lock_size) {
  (void)tag, (void)max_minutes, (void)high_watermark;
  WPERF_ALLOW_ONLY(kPassive);
  *lock = {};
  lock->Common.IoCount = 1;
  KeInitializeEvent(&lock->Common.RemoveEvent, SynchronizationEvent, FALSE);
  check_lock(*lock, lock_size, __func__);
}

extern "C" NTSTATUS IoAcquireRemoveLockEx(IO_REMOVE_LOCK* lock, PVOID tag, const char* file, ULONG line,
                                          ULONG lock_size) {
  (void)tag, (void)file, (void)line;
  WPERF_ALLOW_UP_TO(kDispatch);
  check_lock(*lock, lock_size, __func__);
  __atomic_add_fetch(&lock->Common.IoCount, 1, __ATOMIC_ACQ_REL);
  if (!__atomic_load_n(&lock->Common.Removed, __ATOMIC_ACQUIRE)) return STATUS_SUCCESS;
  let_go(*lock, __func__);
  return STATUS_DELETE_PENDING;
}

extern "C" void IoReleaseRemoveLockEx(IO_REMOVE_LOCK* lock, PVOID tag, ULONG lock_size) {
  (void)tag;
  WPERF_ALLOW_UP_TO(kDispatch);
  check_lock(*lock, lock_size, __func__);
  let_go(*lock, __func__);
}

extern "C" void IoReleaseRemoveLockAndWaitEx(IO_REMOVE_LOCK* lock, PVOID tag, ULONG lock_size) {
  (void)tag;
  WPERF_ALLOW_ONLY(kPassive);
  check_lock(*lock, lock_size, __func__);
  __atomic_store_n(&lock->Common.Removed, TRUE, __ATOMIC_RELEASE);
  // Releases the caller's reference, then the reference from the initialisation.
  if (let_go(*lock, __func__) == 0) give_up("{}: the caller does not hold the lock", __func__);
  if (let_go(*lock, __func__) != 0) {
    KeWaitForSingleObject(&lock->Common.RemoveEvent, Executive, KernelMode, FALSE, nullptr);
  }
}
