// SPDX-License-Identifier: BSD-3-Clause
// The functions this kernel offers, by module and name. A name that is missing here fails the load of a driver that
// imports it.
#include "driver/nt/nt.h"
#include "tests/nthost/check.h"
#include "tests/nthost/driver_loader.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/machine/memory.h"

// Exported functions that no header of the kit declares; defined in separate files.
extern "C" {
void KeInitializeApc();
void KeInsertQueueApc();
KTHREAD* PsGetCurrentThread();
PVOID PsGetCurrentThreadStackBase();
PVOID PsGetCurrentThreadStackLimit();
PVOID PsGetCurrentThreadTeb();
}

// Never called: find_guarding_handler dispatches exceptions in guarded blocks.
extern "C" [[noreturn]] void __C_specific_handler() {
  wperf::nthost::give_up("__C_specific_handler was called");
}

namespace wperf::nthost {
namespace {

#define KERNEL(name) {"ntoskrnl.exe", #name, reinterpret_cast<void*>(&name)}
#define HAL(name) {"hal.dll", #name, reinterpret_cast<void*>(&name)}

const Export exports[] = {
    KERNEL(EtwRegister),
    KERNEL(EtwUnregister),
    KERNEL(EtwWrite),
    KERNEL(ExAcquireResourceExclusiveLite),
    KERNEL(ExAllocatePool2),
    KERNEL(ExCreateCallback),
    KERNEL(ExDeleteResourceLite),
    KERNEL(ExFreePool),
    KERNEL(ExFreePoolWithTag),
    KERNEL(ExInitializeResourceLite),
    KERNEL(ExRegisterCallback),
    KERNEL(ExReleaseResourceLite),
    KERNEL(ExSetTimerResolution),
    KERNEL(ExUnregisterCallback),
    KERNEL(HalDispatchTable),
    KERNEL(IoAcquireRemoveLockEx),
    KERNEL(IoAttachDeviceToDeviceStack),
    KERNEL(IoCreateDevice),
    KERNEL(IoCreateSymbolicLink),
    KERNEL(IoDeleteDevice),
    KERNEL(IoDeleteSymbolicLink),
    KERNEL(IoDetachDevice),
    KERNEL(IoForwardIrpSynchronously),
    KERNEL(IoGetCurrentProcess),
    KERNEL(IoGetFileObjectGenericMapping),
    KERNEL(IoGetStackLimits),
    KERNEL(IoInitializeRemoveLockEx),
    KERNEL(IoRegisterDeviceInterface),
    KERNEL(IoReleaseRemoveLockAndWaitEx),
    KERNEL(IoReleaseRemoveLockEx),
    KERNEL(IoSetDeviceInterfaceState),
    KERNEL(IofCallDriver),
    KERNEL(IofCompleteRequest),
    KERNEL(KeAcquireSpinLockRaiseToDpc),
    KERNEL(KeBugCheckEx),
    KERNEL(KeCancelTimer),
    KERNEL(KeClearEvent),
    KERNEL(KeEnterCriticalRegion),
    KERNEL(KeFlushQueuedDpcs),
    KERNEL(KeGetCurrentProcessorNumberEx),
    KERNEL(KeGetProcessorNumberFromIndex),
    KERNEL(KeInitializeApc),
    KERNEL(KeInitializeDpc),
    KERNEL(KeInitializeEvent),
    KERNEL(KeInitializeTimerEx),
    KERNEL(KeInsertQueueApc),
    KERNEL(KeInsertQueueDpc),
    KERNEL(KeLeaveCriticalRegion),
    KERNEL(KeQueryActiveProcessorCountEx),
    KERNEL(KeQueryPerformanceCounter),
    KERNEL(KeReleaseSpinLock),
    KERNEL(KeSetEvent),
    KERNEL(KeSetImportanceDpc),
    KERNEL(KeSetPriorityThread),
    KERNEL(KeSetTargetProcessorDpcEx),
    KERNEL(KeSetTimerEx),
    KERNEL(KeWaitForMultipleObjects),
    KERNEL(KeWaitForSingleObject),
    KERNEL(MmCopyMemory),
    KERNEL(MmGetPhysicalMemoryRanges),
    KERNEL(MmGetPhysicalMemoryRangesEx2),
    KERNEL(MmGetSystemRoutineAddress),
    KERNEL(MmMapIoSpaceEx),
    KERNEL(MmUnmapIoSpace),
    KERNEL(ObDereferenceObjectDeferDelete),
    KERNEL(ObReferenceObjectByHandle),
    KERNEL(ObfDereferenceObject),
    KERNEL(ObfReferenceObject),
    KERNEL(PsCreateSystemThread),
    KERNEL(PsDereferencePrimaryToken),
    KERNEL(PsGetCurrentProcessId),
    KERNEL(PsGetCurrentThread),
    KERNEL(PsGetCurrentThreadId),
    KERNEL(PsGetCurrentThreadStackBase),
    KERNEL(PsGetCurrentThreadStackLimit),
    KERNEL(PsGetCurrentThreadTeb),
    KERNEL(PsGetProcessCreateTimeQuadPart),
    KERNEL(PsLookupProcessByProcessId),
    KERNEL(PsReferencePrimaryToken),
    KERNEL(PsTerminateSystemThread),
    KERNEL(RtlEqualSid),
    KERNEL(RtlFreeUnicodeString),
    KERNEL(RtlInitUnicodeString),
    KERNEL(SeAccessCheck),
    KERNEL(SeQueryInformationToken),
    KERNEL(ZwClose),
    KERNEL(ZwCreateKey),
    KERNEL(ZwOpenKey),
    KERNEL(ZwQueryValueKey),
    KERNEL(__C_specific_handler),
    HAL(HalAllocateHardwareCounters),
    HAL(HalFreeHardwareCounters),
};

constexpr u32 kMostHidden = 4;
const char* hidden[kMostHidden];

bool is_hidden(const char* name) {
  for (const char* it : hidden) {
    if (it != nullptr && equal_texts(it, name)) return true;
  }
  return false;
}

}  // namespace

void hide_routine(const char* name) {
  for (const char*& it : hidden) {
    if (it != nullptr) continue;
    it = name;
    return;
  }
  give_up("more than {} hidden routines", kMostHidden);
}
void show_all_routines() {
  for (const char*& it : hidden) it = nullptr;
}

const Export* find_export(const char* module, const char* name) {
  for (const Export& it : exports) {
    if (equal_texts(it.module, module) && equal_texts(it.name, name)) return &it;
  }
  return nullptr;
}

}  // namespace wperf::nthost

extern "C" PVOID MmGetSystemRoutineAddress(UNICODE_STRING* name) {
  WPERF_ALLOW_ONLY(wperf::nthost::kPassive);
  char text[64] = {};
  for (wperf::u32 i = 0; i < name->Length / 2u && i + 1 < sizeof text; ++i)
    text[i] = static_cast<char>(name->Buffer[i]);
  const wperf::nthost::Export* found = wperf::nthost::find_export("ntoskrnl.exe", text);
  return found == nullptr || wperf::nthost::is_hidden(text) ? nullptr : found->address;
}
