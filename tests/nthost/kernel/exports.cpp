// SPDX-License-Identifier: BSD-3-Clause
// What this kernel offers, by module and name. A name that is missing here fails the load of a driver that imports it.
#include "driver/nt/nt.h"
#include "tests/nthost/check.h"
#include "tests/nthost/loader.h"
#include "tests/nthost/machine/memory.h"

// Exceptions in guarded blocks are dispatched by find_guarding_handler; nothing calls this.
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
    KERNEL(ExAllocatePool2),
    KERNEL(ExFreePool),
    KERNEL(ExFreePoolWithTag),
    KERNEL(ExSetTimerResolution),
    KERNEL(HalDispatchTable),
    KERNEL(IoAcquireRemoveLockEx),
    KERNEL(IoAttachDeviceToDeviceStack),
    KERNEL(IoCreateDevice),
    KERNEL(IoCreateSymbolicLink),
    KERNEL(IoDeleteDevice),
    KERNEL(IoDeleteSymbolicLink),
    KERNEL(IoDetachDevice),
    KERNEL(IoForwardIrpSynchronously),
    KERNEL(IoGetFileObjectGenericMapping),
    KERNEL(IoInitializeRemoveLockEx),
    KERNEL(IoRegisterDeviceInterface),
    KERNEL(IoReleaseRemoveLockAndWaitEx),
    KERNEL(IoReleaseRemoveLockEx),
    KERNEL(IoSetDeviceInterfaceState),
    KERNEL(IofCallDriver),
    KERNEL(IofCompleteRequest),
    KERNEL(KeBugCheckEx),
    KERNEL(KeCancelTimer),
    KERNEL(KeClearEvent),
    KERNEL(KeEnterCriticalRegion),
    KERNEL(KeFlushQueuedDpcs),
    KERNEL(KeGetCurrentProcessorNumberEx),
    KERNEL(KeGetProcessorNumberFromIndex),
    KERNEL(KeInitializeDpc),
    KERNEL(KeInitializeEvent),
    KERNEL(KeInitializeTimerEx),
    KERNEL(KeInsertQueueDpc),
    KERNEL(KeLeaveCriticalRegion),
    KERNEL(KeQueryActiveProcessorCountEx),
    KERNEL(KeQueryPerformanceCounter),
    KERNEL(KeSetEvent),
    KERNEL(KeSetImportanceDpc),
    KERNEL(KeSetPriorityThread),
    KERNEL(KeSetTargetProcessorDpcEx),
    KERNEL(KeSetTimerEx),
    KERNEL(KeWaitForMultipleObjects),
    KERNEL(KeWaitForSingleObject),
    KERNEL(MmGetPhysicalMemoryRanges),
    KERNEL(MmGetPhysicalMemoryRangesEx2),
    KERNEL(MmMapIoSpaceEx),
    KERNEL(MmUnmapIoSpace),
    KERNEL(ObReferenceObjectByHandle),
    KERNEL(ObfDereferenceObject),
    KERNEL(ObfReferenceObject),
    KERNEL(PsCreateSystemThread),
    KERNEL(PsDereferencePrimaryToken),
    KERNEL(PsGetCurrentProcessId),
    KERNEL(PsGetCurrentThreadId),
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

}  // namespace

const Export* find_export(const char* module, const char* name) {
  for (const Export& it : exports) {
    if (equal_texts(it.module, module) && equal_texts(it.name, name)) return &it;
  }
  return nullptr;
}

}  // namespace wperf::nthost
