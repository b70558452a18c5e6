// SPDX-License-Identifier: BSD-3-Clause
// The functions of ntoskrnl.exe and hal.dll that the driver may call, with the IRQL their documentation allows.
// ntoskrnl.def and hal.def list the same names.
#pragma once

extern "C" {
// ---- I/O manager ----
NTKERNELAPI NTSTATUS IoCreateDevice(DRIVER_OBJECT* driver, ULONG extension_size, UNICODE_STRING* name, ULONG type,
                                    ULONG characteristics, BOOLEAN exclusive, DEVICE_OBJECT** device);  // APC
NTKERNELAPI void IoDeleteDevice(DEVICE_OBJECT* device);                                                 // APC
NTKERNELAPI NTSTATUS IoCreateSymbolicLink(UNICODE_STRING* link, UNICODE_STRING* device_name);           // PASSIVE
NTKERNELAPI NTSTATUS IoDeleteSymbolicLink(UNICODE_STRING* link);                                        // PASSIVE
// The returned name is freed with RtlFreeUnicodeString.
NTKERNELAPI NTSTATUS IoRegisterDeviceInterface(DEVICE_OBJECT* physical_device, const GUID* interface_class,
                                               UNICODE_STRING* reference, UNICODE_STRING* name);       // PASSIVE
NTKERNELAPI NTSTATUS IoSetDeviceInterfaceState(UNICODE_STRING* name, BOOLEAN enable);                  // PASSIVE
NTKERNELAPI DEVICE_OBJECT* IoAttachDeviceToDeviceStack(DEVICE_OBJECT* source, DEVICE_OBJECT* target);  // DISPATCH
NTKERNELAPI void IoDetachDevice(DEVICE_OBJECT* target);                                                // PASSIVE
NTKERNELAPI NTSTATUS IofCallDriver(DEVICE_OBJECT* device, IRP* irp);                                   // DISPATCH
// Copies the current stack location to the next, sends the request down and waits until the drivers below completed it;
// the caller must then complete it. Returns FALSE if there is no stack location for a lower driver.
NTKERNELAPI BOOLEAN IoForwardIrpSynchronously(DEVICE_OBJECT* device, IRP* irp);  // PASSIVE
NTKERNELAPI void IofCompleteRequest(IRP* irp, CCHAR priority_boost);             // DISPATCH
NTKERNELAPI void IoInitializeRemoveLockEx(IO_REMOVE_LOCK* lock, ULONG tag, ULONG max_minutes, ULONG high_watermark,
                                          ULONG lock_size);  // PASSIVE
NTKERNELAPI NTSTATUS IoAcquireRemoveLockEx(IO_REMOVE_LOCK* lock, PVOID tag, const char* file, ULONG line,
                                           ULONG lock_size);                                      // DISPATCH
NTKERNELAPI void IoReleaseRemoveLockEx(IO_REMOVE_LOCK* lock, PVOID tag, ULONG lock_size);         // DISPATCH
NTKERNELAPI void IoReleaseRemoveLockAndWaitEx(IO_REMOVE_LOCK* lock, PVOID tag, ULONG lock_size);  // PASSIVE
NTKERNELAPI GENERIC_MAPPING* IoGetFileObjectGenericMapping();                                     // APC
NTKERNELAPI void IoGetStackLimits(ULONG_PTR* low, ULONG_PTR* high);                               // any

// ---- Kernel ----
NTKERNELAPI void RtlInitUnicodeString(UNICODE_STRING* string,
                                      const WCHAR* text);       // DISPATCH (any, if text is resident)
NTKERNELAPI void RtlFreeUnicodeString(UNICODE_STRING* string);  // PASSIVE
NTKERNELAPI BOOLEAN RtlEqualSid(PSID a, PSID b);                // any, if both are resident
NTKERNELAPI void KeEnterCriticalRegion();                       // APC
NTKERNELAPI void KeLeaveCriticalRegion();                       // APC
NTKERNELAPI void KeInitializeDpc(KDPC* dpc, KDEFERRED_ROUTINE* routine, PVOID context);         // any
NTKERNELAPI BOOLEAN KeInsertQueueDpc(KDPC* dpc, PVOID argument1, PVOID argument2);              // any
NTKERNELAPI void KeSetImportanceDpc(KDPC* dpc, KDPC_IMPORTANCE importance);                     // any
NTKERNELAPI NTSTATUS KeSetTargetProcessorDpcEx(KDPC* dpc, PROCESSOR_NUMBER* processor);         // any
NTKERNELAPI void KeFlushQueuedDpcs();                                                           // PASSIVE
NTKERNELAPI NTSTATUS KeGetProcessorNumberFromIndex(ULONG index, PROCESSOR_NUMBER* processor);   // any
NTKERNELAPI ULONG KeGetCurrentProcessorNumberEx(PROCESSOR_NUMBER* processor);                   // any
NTKERNELAPI ULONG KeQueryActiveProcessorCountEx(USHORT group);                                  // DISPATCH
NTKERNELAPI void KeInitializeTimerEx(KTIMER* timer, TIMER_TYPE type);                           // DISPATCH
NTKERNELAPI BOOLEAN KeSetTimerEx(KTIMER* timer, LARGE_INTEGER due, LONG period_ms, KDPC* dpc);  // DISPATCH
// The interval of the system's clock ticks, in 100 ns; the finest requested one stays until all requesters have called
// with set = FALSE.
NTKERNELAPI ULONG ExSetTimerResolution(ULONG desired, BOOLEAN set);                    // APC
NTKERNELAPI BOOLEAN KeCancelTimer(KTIMER* timer);                                      // DISPATCH
NTKERNELAPI void KeInitializeEvent(KEVENT* event, EVENT_TYPE type, BOOLEAN signaled);  // any
NTKERNELAPI LONG KeSetEvent(KEVENT* event, KPRIORITY increment, BOOLEAN wait);         // DISPATCH
NTKERNELAPI void KeClearEvent(KEVENT* event);                                          // DISPATCH
NTKERNELAPI NTSTATUS KeWaitForSingleObject(PVOID object, KWAIT_REASON reason, KPROCESSOR_MODE mode, BOOLEAN alertable,
                                           LARGE_INTEGER* timeout);  // APC; DISPATCH with a timeout of 0
NTKERNELAPI NTSTATUS KeWaitForMultipleObjects(ULONG count, PVOID objects[], WAIT_TYPE type, KWAIT_REASON reason,
                                              KPROCESSOR_MODE mode, BOOLEAN alertable, LARGE_INTEGER* timeout,
                                              KWAIT_BLOCK* wait_blocks);  // as above; without blocks for at most 3
                                                                          // objects
// Opens a callback object of the system; it is released with ObfDereferenceObject. Its routines are called at DISPATCH
// or below. ExUnregisterCallback waits until none of them runs.
NTKERNELAPI NTSTATUS ExCreateCallback(CALLBACK_OBJECT** object, OBJECT_ATTRIBUTES* attributes, BOOLEAN create,
                                      BOOLEAN allow_multiple);                                              // PASSIVE
NTKERNELAPI PVOID ExRegisterCallback(CALLBACK_OBJECT* object, CALLBACK_FUNCTION* function, PVOID context);  // APC
NTKERNELAPI void ExUnregisterCallback(PVOID registration);                                                  // APC
// An executive resource has an owner, the thread that acquired it, and only the owner may release it. Both calls are
// made in a critical region. The resource is deleted before its memory is freed.
NTKERNELAPI NTSTATUS ExInitializeResourceLite(ERESOURCE* resource);                     // DISPATCH
NTKERNELAPI BOOLEAN ExAcquireResourceExclusiveLite(ERESOURCE* resource, BOOLEAN wait);  // APC
NTKERNELAPI void ExReleaseResourceLite(ERESOURCE* resource);                            // DISPATCH
NTKERNELAPI NTSTATUS ExDeleteResourceLite(ERESOURCE* resource);                         // DISPATCH
NTKERNELAPI KIRQL KeAcquireSpinLockRaiseToDpc(KSPIN_LOCK* lock);                 // DISPATCH; returns the previous level
NTKERNELAPI void KeReleaseSpinLock(KSPIN_LOCK* lock, KIRQL level);               // DISPATCH; restores `level`
NTKERNELAPI KPRIORITY KeSetPriorityThread(KTHREAD* thread, KPRIORITY priority);  // PASSIVE
NTKERNELAPI LARGE_INTEGER KeQueryPerformanceCounter(LARGE_INTEGER* frequency);   // any
[[noreturn]] NTKERNELAPI void KeBugCheckEx(ULONG code, ULONG_PTR parameter1, ULONG_PTR parameter2, ULONG_PTR parameter3,
                                           ULONG_PTR parameter4);  // any

// ---- Memory ----
NTKERNELAPI PVOID ExAllocatePool2(POOL_FLAGS flags, SIZE_T size, ULONG tag);  // DISPATCH
NTKERNELAPI void ExFreePoolWithTag(PVOID memory, ULONG tag);                  // DISPATCH
NTKERNELAPI void ExFreePool(PVOID memory);                                    // DISPATCH; for memory the system gave
NTKERNELAPI PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS physical, SIZE_T size, ULONG protect);  // DISPATCH
NTKERNELAPI void MmUnmapIoSpace(PVOID mapping, SIZE_T size);                              // DISPATCH
// Copies readable memory to memory that is never paged; brings in pages of a program that are not in memory. Never
// stops the system, for any address. It also reads the kernel's memory, so callers that copy for a program check the
// address first.
NTKERNELAPI NTSTATUS MmCopyMemory(PVOID to, MM_COPY_ADDRESS from, SIZE_T size, ULONG flags, SIZE_T* copied);  // APC
NTKERNELAPI PVOID MmGetSystemRoutineAddress(UNICODE_STRING* name);  // PASSIVE; null if it is not exported
NTKERNELAPI PHYSICAL_MEMORY_RANGE* MmGetPhysicalMemoryRanges();     // PASSIVE; freed with ExFreePool; the list ends
                                                                    // with zeroes
NTKERNELAPI PHYSICAL_MEMORY_RANGE* MmGetPhysicalMemoryRangesEx2(PVOID partition, ULONG flags);  // the same; from 19041

// ---- Processes, objects, registry, security ----
NTKERNELAPI NTSTATUS PsCreateSystemThread(HANDLE* thread, ULONG access, OBJECT_ATTRIBUTES* attributes, HANDLE process,
                                          CLIENT_ID* client, KSTART_ROUTINE* start, PVOID context);  // PASSIVE
NTKERNELAPI NTSTATUS PsTerminateSystemThread(NTSTATUS status);                                       // PASSIVE
NTKERNELAPI HANDLE PsGetCurrentProcessId();                                                          // any
NTKERNELAPI HANDLE PsGetCurrentThreadId();                                                           // any
NTKERNELAPI PEPROCESS IoGetCurrentProcess();  // any; the process to which the running thread is attached
NTKERNELAPI LONGLONG PsGetProcessCreateTimeQuadPart(PEPROCESS process);          // any; in 100 ns
NTKERNELAPI NTSTATUS PsLookupProcessByProcessId(HANDLE id, PEPROCESS* process);  // APC; freed with ObfDereferenceObject
NTKERNELAPI PACCESS_TOKEN PsReferencePrimaryToken(PEPROCESS process);            // PASSIVE
NTKERNELAPI void PsDereferencePrimaryToken(PACCESS_TOKEN token);                 // PASSIVE
NTKERNELAPI NTSTATUS ObReferenceObjectByHandle(HANDLE handle, ACCESS_MASK access, OBJECT_TYPE* type,
                                               KPROCESSOR_MODE mode, PVOID* object,
                                               OBJECT_HANDLE_INFORMATION* information);  // PASSIVE
NTKERNELAPI LONG ObfReferenceObject(PVOID object);                                       // DISPATCH
NTKERNELAPI LONG ObfDereferenceObject(PVOID object);            // DISPATCH; PASSIVE for the last reference
NTKERNELAPI void ObDereferenceObjectDeferDelete(PVOID object);  // DISPATCH; the object is freed later, at PASSIVE
NTKERNELAPI NTSTATUS ZwClose(HANDLE handle);                    // PASSIVE
NTKERNELAPI NTSTATUS ZwOpenKey(HANDLE* key, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes);  // PASSIVE
NTKERNELAPI NTSTATUS ZwCreateKey(HANDLE* key, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes, ULONG title_index,
                                 UNICODE_STRING* class_name, ULONG options, ULONG* disposition);  // PASSIVE
NTKERNELAPI NTSTATUS ZwQueryValueKey(HANDLE key, UNICODE_STRING* name, KEY_VALUE_INFORMATION_CLASS information_class,
                                     PVOID information, ULONG size, ULONG* result_size);  // PASSIVE
NTKERNELAPI BOOLEAN SeAccessCheck(PSECURITY_DESCRIPTOR descriptor, SECURITY_SUBJECT_CONTEXT* subject, BOOLEAN locked,
                                  ACCESS_MASK desired, ACCESS_MASK granted_before, PRIVILEGE_SET** privileges,
                                  GENERIC_MAPPING* mapping, KPROCESSOR_MODE mode, ACCESS_MASK* granted,
                                  NTSTATUS* status);  // PASSIVE
// The caller frees *information with ExFreePool, except for TokenIntegrityLevel, for which it is the level itself.
NTKERNELAPI NTSTATUS SeQueryInformationToken(PACCESS_TOKEN token, TOKEN_INFORMATION_CLASS information_class,
                                             PVOID* information);  // PASSIVE

// ---- Event tracing ----
NTKERNELAPI NTSTATUS EtwRegister(LPCGUID provider, ETWENABLECALLBACK* callback, PVOID context,
                                 REGHANDLE* handle);   // PASSIVE
NTKERNELAPI NTSTATUS EtwUnregister(REGHANDLE handle);  // PASSIVE
NTKERNELAPI NTSTATUS EtwWrite(REGHANDLE handle, const EVENT_DESCRIPTOR* event, LPCGUID activity, ULONG data_count,
                              EVENT_DATA_DESCRIPTOR* data);  // any; here: PASSIVE

// ---- Performance counters of the processor ----
NTHALAPI NTSTATUS HalAllocateHardwareCounters(GROUP_AFFINITY* affinities, ULONG affinity_count,
                                              PHYSICAL_COUNTER_RESOURCE_LIST* resources, HANDLE* counters);  // PASSIVE
NTHALAPI NTSTATUS HalFreeHardwareCounters(HANDLE counters);                                                  // PASSIVE
// A table that is exported as data; HalSetSystemInformation is not a function but one of its members.
extern NTKERNELAPI HAL_DISPATCH HalDispatchTable;
}

#define HALDISPATCH (&HalDispatchTable)
#define HalSetSystemInformation HALDISPATCH->HalSetSystemInformation

// ---- Macros and inline functions of the kit ----
#define IoInitializeRemoveLock(lock, tag, minutes, watermark) \
  IoInitializeRemoveLockEx(lock, tag, minutes, watermark, sizeof(IO_REMOVE_LOCK))
#define IoAcquireRemoveLock(lock, tag) IoAcquireRemoveLockEx(lock, tag, "", 1, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLock(lock, tag) IoReleaseRemoveLockEx(lock, tag, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLockAndWait(lock, tag) IoReleaseRemoveLockAndWaitEx(lock, tag, sizeof(IO_REMOVE_LOCK))
#define IoCallDriver IofCallDriver
#define IoCompleteRequest IofCompleteRequest
#define ObReferenceObject ObfReferenceObject
#define ObDereferenceObject ObfDereferenceObject

inline void KeInitializeSpinLock(KSPIN_LOCK* lock) {
  *lock = 0;
}
inline IO_STACK_LOCATION* IoGetCurrentIrpStackLocation(IRP* irp) {
  return irp->Tail.Overlay.CurrentStackLocation;
}
// Passes the current stack location unchanged to the next lower driver.
inline void IoSkipCurrentIrpStackLocation(IRP* irp) {
  ++irp->CurrentLocation;
  ++irp->Tail.Overlay.CurrentStackLocation;
}
inline void InitializeObjectAttributes(OBJECT_ATTRIBUTES* attributes, UNICODE_STRING* name, ULONG flags, HANDLE root,
                                       PSECURITY_DESCRIPTOR descriptor) {
  *attributes = {sizeof(OBJECT_ATTRIBUTES), root, name, flags, descriptor, nullptr};
}
