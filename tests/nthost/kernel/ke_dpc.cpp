// SPDX-License-Identifier: BSD-3-Clause
// KeInitializeDpc, KeInsertQueueDpc, KeSetImportanceDpc, KeSetTargetProcessorDpcEx, KeFlushQueuedDpcs.
#include "tests/nthost/kernel/ke_dpc.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/gic.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {
namespace {

// Bytes of KDPC::TargetInfoAsUlong: type, importance, and 1 + the target core.
constexpr u32 kDpcType = 0x13;
u32 importance_of(const KDPC& dpc) {
  return dpc.TargetInfoAsUlong >> 8 & 0xff;
}
u32 target_of(const KDPC& dpc) {
  return dpc.TargetInfoAsUlong >> 16;
}

void check_initialised(const KDPC& dpc, const char* function) {
  if ((dpc.TargetInfoAsUlong & 0xff) != kDpcType || dpc.DeferredRoutine == nullptr) {
    give_up("{}: the DPC at {x} was not initialised", function, &dpc);
  }
}

}  // namespace

bool queue_dpc_locked(KDPC& dpc, PVOID argument1, PVOID argument2) {
  check_initialised(dpc, "KeInsertQueueDpc");
  if (dpc.DpcData != nullptr) return false;
  Cpu& cpu = cpu_at(target_of(dpc) == 0 ? this_cpu().index : target_of(dpc) - 1);
  dpc.SystemArgument1 = argument1;
  dpc.SystemArgument2 = argument2;
  dpc.DpcData = &cpu;  // as documented, a DPC counts as queued until it begins to run
  if (importance_of(dpc) == HighImportance) {
    dpc.DpcListEntry = cpu.dpc_first;
    cpu.dpc_first = &dpc;
    if (cpu.dpc_last == nullptr) cpu.dpc_last = &dpc;
  } else {
    dpc.DpcListEntry = nullptr;
    (cpu.dpc_last == nullptr ? cpu.dpc_first : *reinterpret_cast<KDPC**>(&cpu.dpc_last->DpcListEntry)) = &dpc;
    cpu.dpc_last = &dpc;
  }
  send_dispatch_interrupt(cpu.index);
  return true;
}

void run_queued_dpcs(Cpu& cpu) {
  for (;;) {
    KDPC* dpc = nullptr;
    KDPC call = {};
    {
      const Guard guard(dispatcher_lock);
      dpc = cpu.dpc_first;
      if (dpc == nullptr) return;
      cpu.dpc_first = static_cast<KDPC*>(dpc->DpcListEntry);
      if (cpu.dpc_first == nullptr) cpu.dpc_last = nullptr;
      call = *dpc;  // from here on the driver may free it or queue it again
      dpc->DpcData = nullptr;
      cpu.in_dpc = true;
    }
    call.DeferredRoutine(dpc, call.DeferredContext, call.SystemArgument1, call.SystemArgument2);
    cpu.in_dpc = false;
    if (current_irql() != kDispatch) {
      fail("a DPC of the driver returned at {}", name_of_level(current_irql()));
      set_irql(kDispatch);
    }
  }
}

u32 dpcs_queued() {
  const Guard guard(dispatcher_lock);
  u32 count = 0;
  for (u32 i = 0; i < cpu_count(); ++i) {
    for (KDPC* dpc = cpu_at(i).dpc_first; dpc != nullptr; dpc = static_cast<KDPC*>(dpc->DpcListEntry)) ++count;
  }
  return count;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" void KeInitializeDpc(KDPC* dpc, KDEFERRED_ROUTINE* routine, PVOID context) {
  *dpc = {};
  dpc->TargetInfoAsUlong = kDpcType | MediumImportance << 8;
  dpc->DeferredRoutine = routine;
  dpc->DeferredContext = context;
}

extern "C" void KeSetImportanceDpc(KDPC* dpc, KDPC_IMPORTANCE importance) {
  check_initialised(*dpc, __func__);
  dpc->TargetInfoAsUlong = (dpc->TargetInfoAsUlong & ~0xff00u) | static_cast<ULONG>(importance) << 8;
}

extern "C" NTSTATUS KeSetTargetProcessorDpcEx(KDPC* dpc, PROCESSOR_NUMBER* processor) {
  check_initialised(*dpc, __func__);
  if (processor->Group != 0 || processor->Number >= cpu_count() || processor->Reserved != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  dpc->TargetInfoAsUlong = (dpc->TargetInfoAsUlong & 0xffff) | (processor->Number + 1u) << 16;
  return STATUS_SUCCESS;
}

extern "C" BOOLEAN KeInsertQueueDpc(KDPC* dpc, PVOID argument1, PVOID argument2) {
  const Guard guard(dispatcher_lock);
  return queue_dpc_locked(*dpc, argument1, argument2);
}

extern "C" void KeFlushQueuedDpcs() {
  WPERF_ALLOW_ONLY(kPassive);
  // All DPCs that were queued before the call have run when the call returns.
  for (wperf::u32 i = 0; i < cpu_count(); ++i) {
    Cpu& cpu = cpu_at(i);
    const auto busy = [&cpu] {
      const Guard guard(dispatcher_lock);
      return cpu.dpc_first != nullptr || cpu.in_dpc;
    };
    while (busy()) sleep_ns(20'000);
  }
}
