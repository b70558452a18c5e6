// SPDX-License-Identifier: BSD-3-Clause
// Windows kernel functions that the driver needs and that Wine 8 lacks or has only as stubs. With them the driver's own
// object files run inside ARM64 Wine: DriverEntry, AddDevice, PnP, dispatch routines, its timer thread. Linked with the
// driver, these functions replace the imports of the same names. There are no interrupts, so sampling gets no samples.
#include "tests/windows/shim/wine_kernel.h"

#include "driver/nt/nt.h"

extern "C" {
NTKERNELAPI PVOID ExAllocatePoolWithTag(int type, SIZE_T size, ULONG tag);
NTSTATUS driver_entry_with_guard(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);
__declspec(dllimport) int QueryPerformanceCounter(LARGE_INTEGER* count);        // kernelbase.dll: a driver of Wine may
__declspec(dllimport) int QueryPerformanceFrequency(LARGE_INTEGER* frequency);  // import it, but not kernel32.dll
}

namespace wperf::shim {
namespace {

u32 core_of_call;  // deferred calls run one at a time: under the lock
volatile int calls_locked;

// ---- Memory ----
PVOID allocate_pool(POOL_FLAGS, SIZE_T size, ULONG tag) {
  PVOID memory = ExAllocatePoolWithTag(0, size, tag);
  if (memory != nullptr) __builtin_memset(memory, 0, size);
  return memory;
}
PVOID map_io_space(PHYSICAL_ADDRESS, SIZE_T, ULONG) {
  return nullptr;  // there is no such memory
}
PHYSICAL_MEMORY_RANGE* memory_of_all_partitions(PVOID, ULONG) {
  return nullptr;  // not known
}

// ---- Cores and deferred calls: they run at once, in the caller's thread ----
ULONG active_processor_count(USHORT) {
  return kCores;
}
NTSTATUS processor_number_from_index(ULONG index, PROCESSOR_NUMBER* processor) {
  if (index >= kCores) return STATUS_INVALID_PARAMETER;
  *processor = {0, static_cast<UCHAR>(index), 0};
  return STATUS_SUCCESS;
}
ULONG current_processor_number(PROCESSOR_NUMBER* processor) {
  if (processor != nullptr) *processor = {0, static_cast<UCHAR>(core_of_call), 0};
  return core_of_call;
}
NTSTATUS set_target_processor(KDPC* dpc, PROCESSOR_NUMBER* processor) {
  dpc->TargetInfoAsUlong = processor->Number;
  return STATUS_SUCCESS;
}
void set_importance(KDPC*, KDPC_IMPORTANCE) {}
BOOLEAN insert_queue_dpc(KDPC* dpc, PVOID argument1, PVOID argument2) {
  while (__atomic_exchange_n(&calls_locked, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  core_of_call = dpc->TargetInfoAsUlong;
  // The call may end by freeing the DPC's memory, so the DPC is not touched afterwards.
  dpc->DeferredRoutine(dpc, dpc->DeferredContext, argument1, argument2);
  core_of_call = 0;
  __atomic_store_n(&calls_locked, 0, __ATOMIC_RELEASE);
  return TRUE;
}
void flush_queued_dpcs() {}
// ---- APCs: no interrupt asks for one, and the driver finds that they are not available ----
PVOID routine_by_name(UNICODE_STRING*) {
  return nullptr;
}
NTSTATUS copy_memory(PVOID, MM_COPY_ADDRESS, SIZE_T, ULONG, SIZE_T* copied) {
  *copied = 0;
  return STATUS_NOT_SUPPORTED;
}
void stack_limits(ULONG_PTR* low, ULONG_PTR* high) {
  *low = *high = 0;
}
KIRQL acquire_spin_lock(KSPIN_LOCK* lock) {
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  return 0;
}
void release_spin_lock(KSPIN_LOCK* lock, KIRQL) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
LARGE_INTEGER performance_counter(LARGE_INTEGER* frequency) {
  LARGE_INTEGER now = {};
  if (frequency != nullptr) QueryPerformanceFrequency(frequency);
  QueryPerformanceCounter(&now);
  return now;
}

// ---- Counters of the processor ----
NTSTATUS set_information(HAL_SET_INFORMATION_CLASS, ULONG, PVOID) {
  return STATUS_SUCCESS;
}
HAL_DISPATCH hal_dispatch = {4, nullptr, set_information};
NTSTATUS allocate_counters(GROUP_AFFINITY*, ULONG, PHYSICAL_COUNTER_RESOURCE_LIST*, HANDLE* counters) {
  *counters = &hal_dispatch;  // any value except null
  return STATUS_SUCCESS;
}
NTSTATUS free_counters(HANDLE) {
  return STATUS_SUCCESS;
}

// ---- The caller's identity: in Wine all programs run as one user, who is an administrator ----
GENERIC_MAPPING generic_mapping = {FILE_READ_DATA, FILE_WRITE_DATA, 0, FILE_READ_DATA | FILE_WRITE_DATA};
GENERIC_MAPPING* file_generic_mapping() {
  return &generic_mapping;
}
BOOLEAN access_check(PSECURITY_DESCRIPTOR, SECURITY_SUBJECT_CONTEXT*, BOOLEAN, ACCESS_MASK desired, ACCESS_MASK,
                     PRIVILEGE_SET**, GENERIC_MAPPING*, KPROCESSOR_MODE, ACCESS_MASK* granted, NTSTATUS* status) {
  *granted = desired;
  *status = STATUS_SUCCESS;
  return TRUE;
}
struct UserInformation {
  TOKEN_USER user;
  UCHAR sid[12];
};
NTSTATUS query_token(PACCESS_TOKEN, TOKEN_INFORMATION_CLASS, PVOID* information) {
  auto* made = static_cast<UserInformation*>(allocate_pool(0, sizeof(UserInformation), 'mihs'));
  if (made == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  *made = {{{made->sid, 0}}, {1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0}};
  *information = made;
  return STATUS_SUCCESS;
}
PACCESS_TOKEN reference_token(PEPROCESS) {
  return &generic_mapping;  // query_token ignores it
}
void dereference_token(PACCESS_TOKEN) {}

// ---- Event tracing: without listeners ----
NTSTATUS etw_register(LPCGUID, ETWENABLECALLBACK*, PVOID, REGHANDLE* handle) {
  *handle = 1;
  return STATUS_SUCCESS;
}
NTSTATUS etw_unregister(REGHANDLE) {
  return STATUS_SUCCESS;
}
NTSTATUS etw_write(REGHANDLE, const EVENT_DESCRIPTOR*, LPCGUID, ULONG, EVENT_DATA_DESCRIPTOR*) {
  return STATUS_SUCCESS;
}

// ---- Requests: functions of Windows that Wine lacks ----
constexpr NTSTATUS kMoreProcessingRequired = static_cast<NTSTATUS>(0xC0000016u);
constexpr UCHAR kInvokeAlways = 0xE0;  // SL_INVOKE_ON_SUCCESS, _ERROR and _CANCEL

NTSTATUS keep_for_caller(DEVICE_OBJECT*, IRP*, PVOID) {
  return kMoreProcessingRequired;
}
// The drivers below a software device complete requests at once, so no wait is needed.
BOOLEAN forward_irp(DEVICE_OBJECT* device, IRP* irp) {
  IO_STACK_LOCATION* here = IoGetCurrentIrpStackLocation(irp);
  IO_STACK_LOCATION* next = here - 1;
  *next = *here;
  next->CompletionRoutine = reinterpret_cast<PVOID>(keep_for_caller);
  next->Control = kInvokeAlways;
  static_cast<void>(IofCallDriver(device, irp));
  return TRUE;
}

DRIVER_DISPATCH* driver_create;

NTSTATUS create_with_context(DEVICE_OBJECT* device, IRP* irp) {
  ACCESS_STATE state = {};
  IO_SECURITY_CONTEXT context = {nullptr, &state, FILE_READ_DATA | FILE_WRITE_DATA, 0};
  IoGetCurrentIrpStackLocation(irp)->Parameters.Create.SecurityContext = &context;
  return driver_create(device, irp);
}

}  // namespace

u32 current_core() {
  return core_of_call;
}

}  // namespace wperf::shim

// The symbols that the linker uses as the imports' addresses.
#define WPERF_IN_PLACE_OF(name, function) \
  extern "C" void* __imp_##name;          \
  void* __imp_##name = reinterpret_cast<void*>(function)
using namespace wperf::shim;
WPERF_IN_PLACE_OF(ExAllocatePool2, allocate_pool);
WPERF_IN_PLACE_OF(MmMapIoSpaceEx, map_io_space);
WPERF_IN_PLACE_OF(MmGetPhysicalMemoryRangesEx2, memory_of_all_partitions);
WPERF_IN_PLACE_OF(KeQueryActiveProcessorCountEx, active_processor_count);
WPERF_IN_PLACE_OF(KeGetProcessorNumberFromIndex, processor_number_from_index);
WPERF_IN_PLACE_OF(KeGetCurrentProcessorNumberEx, current_processor_number);
WPERF_IN_PLACE_OF(KeSetTargetProcessorDpcEx, set_target_processor);
WPERF_IN_PLACE_OF(KeSetImportanceDpc, set_importance);
WPERF_IN_PLACE_OF(KeInsertQueueDpc, insert_queue_dpc);
WPERF_IN_PLACE_OF(KeFlushQueuedDpcs, flush_queued_dpcs);
WPERF_IN_PLACE_OF(KeAcquireSpinLockRaiseToDpc, acquire_spin_lock);
WPERF_IN_PLACE_OF(KeReleaseSpinLock, release_spin_lock);
WPERF_IN_PLACE_OF(MmCopyMemory, copy_memory);
WPERF_IN_PLACE_OF(MmGetSystemRoutineAddress, routine_by_name);
WPERF_IN_PLACE_OF(IoGetStackLimits, stack_limits);
WPERF_IN_PLACE_OF(KeQueryPerformanceCounter, performance_counter);
WPERF_IN_PLACE_OF(HalDispatchTable, &hal_dispatch);
WPERF_IN_PLACE_OF(HalAllocateHardwareCounters, allocate_counters);
WPERF_IN_PLACE_OF(HalFreeHardwareCounters, free_counters);
WPERF_IN_PLACE_OF(IoGetFileObjectGenericMapping, file_generic_mapping);
WPERF_IN_PLACE_OF(SeAccessCheck, access_check);
WPERF_IN_PLACE_OF(SeQueryInformationToken, query_token);
WPERF_IN_PLACE_OF(PsReferencePrimaryToken, reference_token);
WPERF_IN_PLACE_OF(PsDereferencePrimaryToken, dereference_token);
WPERF_IN_PLACE_OF(IoForwardIrpSynchronously, forward_irp);
WPERF_IN_PLACE_OF(EtwRegister, etw_register);
WPERF_IN_PLACE_OF(EtwUnregister, etw_unregister);
WPERF_IN_PLACE_OF(EtwWrite, etw_write);

extern "C" NTSTATUS shim_entry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  const NTSTATUS status = driver_entry_with_guard(driver, registry_path);
  driver_create = driver->MajorFunction[IRP_MJ_CREATE];
  driver->MajorFunction[IRP_MJ_CREATE] = create_with_context;
  return status;
}
