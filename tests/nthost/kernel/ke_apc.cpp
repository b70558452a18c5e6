// SPDX-License-Identifier: BSD-3-Clause
// KeInitializeApc, KeInsertQueueApc. No header of the kit declares them; the signatures match ntoskrnl.exe.
#include "tests/nthost/kernel/ke_apc.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/gic.h"

namespace wperf::nthost {
namespace {

constexpr UCHAR kApcType = 0x12;

using NormalRoutine = void(PVOID context, PVOID argument1, PVOID argument2);
using KernelRoutine = void(KAPC* apc, NormalRoutine** normal, PVOID* context, PVOID* argument1, PVOID* argument2);
using RundownRoutine = void(KAPC* apc);

bool held = false;
u32 kernel_calls = 0, rundown_calls = 0, inside = 0;

KAPC* next_of(const KAPC& apc) {
  return reinterpret_cast<KAPC*>(apc.ApcListEntry.Flink);
}

// Removes the first APC of the thread's queue and returns it.
KAPC* take_first(Thread& thread) {
  const Guard guard(dispatcher_lock);
  KAPC* apc = thread.apc_first;
  if (apc == nullptr) return nullptr;
  thread.apc_first = next_of(*apc);
  if (thread.apc_first == nullptr) thread.apc_last = nullptr;
  apc->Inserted = FALSE;
  return apc;
}

void check_level(const char* routine, u32 level) {
  if (current_irql() == level) return;
  fail("{} of an APC returned at {}", routine, name_of_level(current_irql()));
  set_irql(level);
}

void call_kernel_routine(KAPC& apc) {
  const auto routine = reinterpret_cast<KernelRoutine*>(apc.KernelRoutine);
  NormalRoutine* normal = nullptr;
  PVOID context = apc.NormalContext, first = apc.SystemArgument1, second = apc.SystemArgument2;
  routine(&apc, &normal, &context, &first, &second);  // from here on the APC belongs to the driver again
  if (normal != nullptr) fail("the kernel routine of a special APC made a normal one of it");
  check_level("the kernel routine", kApc);
}

}  // namespace

void hold_apcs(bool hold) {
  __atomic_store_n(&held, hold, __ATOMIC_RELEASE);
  for (u32 cpu = 0; cpu < cpu_count() && !hold; ++cpu) send_dispatch_interrupt(cpu);
}

u32 apcs_run() {
  return __atomic_load_n(&kernel_calls, __ATOMIC_RELAXED);
}
u32 apcs_run_down() {
  return __atomic_load_n(&rundown_calls, __ATOMIC_RELAXED);
}

u32 apcs_inside() {
  return __atomic_load_n(&inside, __ATOMIC_ACQUIRE);
}

void deliver_apcs() {
  Thread& thread = *current_thread();
  while (thread.apc_first != nullptr && !__atomic_load_n(&held, __ATOMIC_ACQUIRE)) {
    set_irql(kApc);
    asm volatile("msr daifclr, #2" : : : "memory");
    if (KAPC* apc = take_first(thread); apc != nullptr) {
      __atomic_fetch_add(&kernel_calls, 1, __ATOMIC_RELAXED);
      thread.in_apc = true;
      __atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL);
      call_kernel_routine(*apc);
      __atomic_fetch_sub(&inside, 1, __ATOMIC_ACQ_REL);
      thread.in_apc = false;
    }
    mask_interrupts();
  }
}

void run_down_apcs() {
  Thread& thread = *current_thread();
  {
    const Guard guard(dispatcher_lock);
    thread.takes_no_apcs = true;
  }
  while (KAPC* apc = take_first(thread)) {
    __atomic_fetch_add(&rundown_calls, 1, __ATOMIC_RELAXED);
    if (apc->RundownRoutine == nullptr) {
      call_kernel_routine(*apc);
    } else {
      reinterpret_cast<RundownRoutine*>(apc->RundownRoutine)(apc);
    }
    check_level("the rundown routine", kPassive);
  }
}

u32 apcs_queued() {
  const Guard guard(dispatcher_lock);
  u32 count = 0;
  for (u32 slot = 0; slot < kMostThreads; ++slot) {
    const Thread* thread = thread_at(slot);
    for (KAPC* apc = thread == nullptr ? nullptr : thread->apc_first; apc != nullptr; apc = next_of(*apc)) ++count;
  }
  return count;
}

void forget_apcs() {
  const Guard guard(dispatcher_lock);
  for (u32 slot = 0; slot < kMostThreads; ++slot) {
    if (Thread* thread = thread_at(slot); thread != nullptr) thread->apc_first = thread->apc_last = nullptr;
  }
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" void KeInitializeApc(KAPC* apc, KTHREAD* thread, int environment, PVOID kernel_routine,
                                PVOID rundown_routine, PVOID normal_routine, KPROCESSOR_MODE mode, PVOID context) {
  if (environment != 0 || normal_routine != nullptr || mode != KernelMode) {
    give_up("{}: only special kernel APCs in the thread's own process are offered", __func__);
  }
  if (apc->Inserted) fail("KeInitializeApc: the APC at {x} is queued", apc);
  *apc = {};
  apc->Type = kApcType;
  apc->Size = sizeof(KAPC);
  apc->Thread = thread;
  apc->KernelRoutine = kernel_routine;
  apc->RundownRoutine = rundown_routine;
  apc->NormalContext = context;
}

extern "C" BOOLEAN KeInsertQueueApc(KAPC* apc, PVOID argument1, PVOID argument2, KPRIORITY increment) {
  (void)increment;
  WPERF_ALLOW_UP_TO(kDispatch);
  if (apc->Type != kApcType || apc->KernelRoutine == nullptr) give_up("{}: {x} is no APC", __func__, apc);
  Thread& thread = *reinterpret_cast<Thread*>(apc->Thread);
  if (&thread != current_thread()) give_up("{}: only the running thread is offered", __func__);
  const Guard guard(dispatcher_lock);
  if (apc->Inserted || thread.takes_no_apcs) return FALSE;
  apc->SystemArgument1 = argument1;
  apc->SystemArgument2 = argument2;
  apc->Inserted = TRUE;
  apc->ApcListEntry.Flink = nullptr;
  (thread.apc_last == nullptr ? thread.apc_first : *reinterpret_cast<KAPC**>(&thread.apc_last->ApcListEntry.Flink)) =
      apc;
  thread.apc_last = apc;
  return TRUE;
}
