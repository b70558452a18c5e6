// SPDX-License-Identifier: BSD-3-Clause
// PsCreateSystemThread, PsTerminateSystemThread, PsGetCurrentProcessId, PsGetCurrentThreadId, IoGetCurrentProcess,
// PsGetProcessCreateTimeQuadPart, PsGetCurrentThread, PsGetCurrentThreadTeb, PsGetCurrentThreadStackBase,
// PsGetCurrentThreadStackLimit, IoGetStackLimits,
// PsLookupProcessByProcessId, PsReferencePrimaryToken, PsDereferencePrimaryToken, KeSetPriorityThread.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/handles.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

constexpr ULONG kKernelHandle = OBJ_KERNEL_HANDLE;

bool creation_fails = false;
u32 home = ~0u;  // core of driver threads; ~0 = the last core
u32 living = 0;
bool interrupts_have_a_stack = false;

}  // namespace

void fail_thread_creation(bool fails) {
  creation_fails = fails;
}
void place_driver_threads_on(u32 cpu) {
  home = cpu;
}
void give_interrupts_a_stack(bool wanted) {
  interrupts_have_a_stack = wanted;
}
u32 driver_threads_living() {
  return __atomic_load_n(&living, __ATOMIC_ACQUIRE);
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS PsCreateSystemThread(HANDLE* thread, ULONG access, OBJECT_ATTRIBUTES* attributes, HANDLE process,
                                         CLIENT_ID* client, KSTART_ROUTINE* start, PVOID context) {
  WPERF_ALLOW_ONLY(kPassive);
  (void)access;
  if (process != nullptr || client != nullptr) give_up("{}: only the system's process is offered", __func__);
  if (creation_fails) return STATUS_INSUFFICIENT_RESOURCES;
  const bool of_kernel = attributes != nullptr && (attributes->Attributes & kKernelHandle) != 0;
  if (!of_kernel && current_thread()->process != system_process()) {
    fail("PsCreateSystemThread: without OBJ_KERNEL_HANDLE the handle is one of the calling process");
  }
  const wperf::u32 cpu = home < cpu_count() ? home : cpu_count() - 1;
  __atomic_fetch_add(&living, 1, __ATOMIC_ACQ_REL);
  Thread* made = make_thread({cpu, kWorkloadPriority, system_process(), start, context, true});
  if (made == nullptr) {
    __atomic_fetch_sub(&living, 1, __ATOMIC_ACQ_REL);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  *thread = make_handle({HandleKind::thread, of_kernel, made, 0});  // the handle takes over the creator's reference
  return STATUS_SUCCESS;
}

extern "C" NTSTATUS PsTerminateSystemThread(NTSTATUS status) {
  (void)status;
  WPERF_ALLOW_ONLY(kPassive);
  if (!current_thread()->is_drivers) give_up("PsTerminateSystemThread: this is no thread of the driver's");
  __atomic_fetch_sub(&living, 1, __ATOMIC_ACQ_REL);
  end_current_thread();
}

extern "C" HANDLE PsGetCurrentProcessId() {
  return reinterpret_cast<HANDLE>(static_cast<wperf::u64>(current_thread()->process->id));
}

extern "C" HANDLE PsGetCurrentThreadId() {
  const Thread& thread = *current_thread();
  const bool idle = thread.priority == kIdlePriority;
  return reinterpret_cast<HANDLE>(static_cast<wperf::u64>(idle ? 0 : thread.id));
}

extern "C" PEPROCESS IoGetCurrentProcess() {
  return reinterpret_cast<PEPROCESS>(current_thread()->process);
}

extern "C" LONGLONG PsGetProcessCreateTimeQuadPart(PEPROCESS process) {
  return static_cast<LONGLONG>(reinterpret_cast<Process*>(process)->created);
}

extern "C" PVOID PsGetCurrentThreadTeb() {
  return reinterpret_cast<PVOID>(current_thread()->user_block);
}

extern "C" KTHREAD* PsGetCurrentThread() {
  return reinterpret_cast<KTHREAD*>(current_thread());
}

extern "C" PVOID PsGetCurrentThreadStackBase() {
  return reinterpret_cast<PVOID>(current_thread()->stack_top);
}

extern "C" PVOID PsGetCurrentThreadStackLimit() {
  return reinterpret_cast<PVOID>(current_thread()->stack_top - kStackSize);
}

// The limits of the caller's stack. In this host, interrupts run on the thread's stack; if a scenario gives them a
// separate stack, that stack is reported but not used.
extern "C" void IoGetStackLimits(ULONG_PTR* low, ULONG_PTR* high) {
  const bool elsewhere = interrupts_have_a_stack && current_irql() > kDispatch;
  *high = elsewhere ? reinterpret_cast<wperf::u64>(this_cpu().emergency_stack) : current_thread()->stack_top;
  *low = *high - kStackSize;
}

extern "C" NTSTATUS PsLookupProcessByProcessId(HANDLE id, PEPROCESS* process) {
  WPERF_ALLOW_UP_TO(kApc);
  Process* found = find_process(static_cast<wperf::u32>(reinterpret_cast<wperf::u64>(id)));
  if (found == nullptr) return STATUS_INVALID_CID;
  reference_process(*found);
  *process = reinterpret_cast<PEPROCESS>(found);
  return STATUS_SUCCESS;
}

extern "C" PACCESS_TOKEN PsReferencePrimaryToken(PEPROCESS process) {
  WPERF_ALLOW_ONLY(kPassive);
  auto* it = reinterpret_cast<Process*>(process);
  __atomic_fetch_add(&it->token.references, 1, __ATOMIC_ACQ_REL);
  return &it->token;
}

extern "C" void PsDereferencePrimaryToken(PACCESS_TOKEN token) {
  WPERF_ALLOW_ONLY(kPassive);
  auto* it = static_cast<Token*>(token);
  if (__atomic_fetch_sub(&it->references, 1, __ATOMIC_ACQ_REL) == 0) {
    fail("PsDereferencePrimaryToken: the token was not referenced");
    it->references = 0;
  }
}

extern "C" KPRIORITY KeSetPriorityThread(KTHREAD* thread, KPRIORITY priority) {
  WPERF_ALLOW_ONLY(kPassive);
  auto* it = reinterpret_cast<Thread*>(thread);
  if (it->header.Type != kThreadObject || thread_at(it->slot) != it) give_up("{}: {x} is no thread", __func__, thread);
  if (priority < 1 || priority > 31) fail("KeSetPriorityThread: priority {}", priority);
  const KPRIORITY before = it->nt_priority;
  it->nt_priority = priority;
  set_priority(*it, priority > 8 ? kSystemPriority : kWorkloadPriority);  // programs have 8
  return before;
}
