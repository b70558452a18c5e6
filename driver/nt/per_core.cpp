// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/per_core.h"

#include "driver/nt/nt.h"

namespace wperf::driver {
namespace {

struct PerCpuCall {
  PerCoreCall call;
  void* context;
  KEVENT done;
};

// Runs at IRQL DISPATCH_LEVEL on the core that it was queued for.
void run_per_cpu_call(KDPC*, PVOID context, PVOID, PVOID) {
  PerCpuCall& per_cpu_call = *static_cast<PerCpuCall*>(context);
  per_cpu_call.call(per_cpu_call.context);
  static_cast<void>(KeSetEvent(&per_cpu_call.done, 0, FALSE));  // the last access, because the object is on the
                                                                // waiter's stack
}

}  // namespace

u32 active_core_count() {
  return KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS);
}

WperfStatus run_deferred(u32 core, PerCoreCall call, void* context) {
  PROCESSOR_NUMBER processor = {};
  if (!NT_SUCCESS(KeGetProcessorNumberFromIndex(core, &processor))) {
    return WPERF_HARDWARE_FAILED;
  }
  PerCpuCall per_cpu_call = {call, context, {}};
  KeInitializeEvent(&per_cpu_call.done, NotificationEvent, FALSE);
  KDPC dpc;
  KeInitializeDpc(&dpc, run_per_cpu_call, &per_cpu_call);
  KeSetImportanceDpc(&dpc, HighImportance);  // makes it run at once, even on another core
  if (!NT_SUCCESS(KeSetTargetProcessorDpcEx(&dpc, &processor)) || !KeInsertQueueDpc(&dpc, nullptr, nullptr)) {
    return WPERF_HARDWARE_FAILED;
  }
  static_cast<void>(KeWaitForSingleObject(&per_cpu_call.done, Executive, KernelMode, FALSE, nullptr));
  return WPERF_OK;
}

void wait_for_interrupts_to_end() {
  const u32 cores = active_core_count();
  for (u32 core = 0; core < cores; ++core) {
    // A deferred call begins only when the core is not in an interrupt.
    static_cast<void>(run_deferred(core, [](void*) {}, nullptr));
  }
}

}  // namespace wperf::driver
