// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/thread_calls.h"

namespace wperf::driver {

ThreadCalls::ThreadCalls(const Answers& answers, void* context)
    : answers_(answers), context_(context), possible_(find_stack_routines()) {
  KeInitializeSpinLock(&lock_);
  KeInitializeEvent(&none_left_, NotificationEvent, FALSE);
}

void ThreadCalls::place(void* memory, u32 count) {
  calls_ = static_cast<Call*>(memory);
  for (u32 i = 0; i < count; ++i) {
    calls_[i].owner = this;
    KeInitializeDpc(&calls_[i].dpc, on_dpc, &calls_[i]);
  }
}

// The deferred call comes on this core when the interrupt has ended, so counting after queueing is early enough.
bool ThreadCalls::ask(u32 ticket) {
  if (!possible_ || !KeInsertQueueDpc(&calls_[ticket].dpc, stack_routines().current_thread(), nullptr)) {
    return false;
  }
  __atomic_fetch_add(&under_way_, 1, __ATOMIC_RELEASE);
  return true;
}

void ThreadCalls::end() {
  __atomic_store_n(&ending_, true, __ATOMIC_RELEASE);
  KeFlushQueuedDpcs();  // from here on there are only APCs
  for (;;) {
    const KIRQL level = KeAcquireSpinLockRaiseToDpc(&lock_);
    const bool none = __atomic_load_n(&under_way_, __ATOMIC_ACQUIRE) == 0;
    KeClearEvent(&none_left_);
    KeReleaseSpinLock(&lock_, level);
    if (none) {
      break;
    }
    static_cast<void>(KeWaitForSingleObject(&none_left_, Executive, KernelMode, FALSE, nullptr));
  }
  __atomic_store_n(&ending_, false, __ATOMIC_RELEASE);
}

// DISPATCH_LEVEL. The interrupted thread is still the one that runs here: threads change at this level, but after the
// deferred calls. As long as it runs it cannot be gone, so nothing holds a reference to it.
void ThreadCalls::on_dpc(KDPC*, PVOID context, PVOID thread, PVOID) {
  Call& call = *static_cast<Call*>(context);
  ThreadCalls& self = *call.owner;
  if (!self.queue_apc(call, static_cast<KTHREAD*>(thread))) {
    self.answer(call, self.answers_.lose);
    KeReleaseSpinLock(&self.lock_, self.enter_last_part());
  }
}

bool ThreadCalls::queue_apc(Call& call, KTHREAD* thread) {
  const StackRoutines& kernel = stack_routines();
  if (ending() || kernel.current_thread() != thread) {
    return false;
  }
  kernel.initialize_apc(&call.apc, thread, ApcEnvironment::original, on_apc, on_rundown, nullptr, KernelMode, nullptr);
  return kernel.insert_queue_apc(&call.apc, nullptr, nullptr, 0) != FALSE;
}

// Whoever waits in end() goes on when it gets the lock, and the driver may be unloaded then. So both routines end with
// the jump into the function that gives the lock back, and no instruction of theirs comes after it: the compiler makes
// a jump of a call at the end, and the NT host holds the image to it (call_that_returns_late).
void ThreadCalls::on_apc(KAPC* apc, ApcNormalRoutine**, PVOID*, PVOID*, PVOID*) {
  Call& call = call_of(apc);
  ThreadCalls& self = *call.owner;
  self.answer(call, self.ending() ? self.answers_.lose : self.answers_.take);
  return KeReleaseSpinLock(&self.lock_, self.enter_last_part());
}

void ThreadCalls::on_rundown(KAPC* apc) {
  Call& call = call_of(apc);
  ThreadCalls& self = *call.owner;
  self.answer(call, self.answers_.lose);
  return KeReleaseSpinLock(&self.lock_, self.enter_last_part());
}

ThreadCalls::Call& ThreadCalls::call_of(KAPC* apc) {
  return *reinterpret_cast<Call*>(reinterpret_cast<u8*>(apc) - __builtin_offsetof(Call, apc));
}

// The ticket may be used again from here on, so `call` may be somebody else's.
void ThreadCalls::answer(const Call& call, void (*how)(void* context, u32 ticket)) {
  how(context_, static_cast<u32>(&call - calls_));
}

KIRQL ThreadCalls::enter_last_part() {
  const KIRQL level = KeAcquireSpinLockRaiseToDpc(&lock_);
  if (__atomic_sub_fetch(&under_way_, 1, __ATOMIC_ACQ_REL) == 0 && ending()) {
    static_cast<void>(KeSetEvent(&none_left_, 0, FALSE));
  }
  return level;
}

}  // namespace wperf::driver
