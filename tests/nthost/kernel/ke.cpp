// SPDX-License-Identifier: BSD-3-Clause
// Processors, time, critical regions, bug checks: KeGetProcessorNumberFromIndex, KeGetCurrentProcessorNumberEx,
// KeQueryActiveProcessorCountEx, KeQueryPerformanceCounter, KeEnterCriticalRegion, KeLeaveCriticalRegion, KeBugCheckEx.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"

using namespace wperf::nthost;

extern "C" NTSTATUS KeGetProcessorNumberFromIndex(ULONG index, PROCESSOR_NUMBER* processor) {
  if (index >= cpu_count()) return STATUS_INVALID_PARAMETER;
  *processor = {0, static_cast<UCHAR>(index), 0};
  return STATUS_SUCCESS;
}

extern "C" ULONG KeGetCurrentProcessorNumberEx(PROCESSOR_NUMBER* processor) {
  if (processor != nullptr) *processor = {0, static_cast<UCHAR>(current_cpu()), 0};
  return current_cpu();
}

extern "C" ULONG KeQueryActiveProcessorCountEx(USHORT group) {
  WPERF_ALLOW_UP_TO(kDispatch);
  return group == 0 || group == ALL_PROCESSOR_GROUPS ? cpu_count() : 0;
}

extern "C" LARGE_INTEGER KeQueryPerformanceCounter(LARGE_INTEGER* frequency) {
  if (frequency != nullptr) frequency->QuadPart = static_cast<LONGLONG>(ticks_per_second());
  LARGE_INTEGER now;
  now.QuadPart = static_cast<LONGLONG>(time_ticks());
  return now;
}

extern "C" void KeEnterCriticalRegion() {
  WPERF_ALLOW_UP_TO(kApc);
  ++current_thread()->critical_regions;
}

extern "C" void KeLeaveCriticalRegion() {
  WPERF_ALLOW_UP_TO(kApc);
  if (current_thread()->critical_regions == 0) {
    fail("KeLeaveCriticalRegion: this thread is in no critical region");
    return;
  }
  --current_thread()->critical_regions;
}

extern "C" void KeBugCheckEx(ULONG code, ULONG_PTR parameter1, ULONG_PTR parameter2, ULONG_PTR parameter3,
                             ULONG_PTR parameter4) {
  give_up("the driver stops the system: KeBugCheckEx({x}, {x}, {x}, {x}, {x})", code, parameter1, parameter2,
          parameter3, parameter4);
}
