// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/system_thread.h"

namespace wperf::driver {

NTSTATUS SystemThread::start(Run run, void* context) {
  run_ = run;
  context_ = context;
  KeInitializeEvent(&end_, NotificationEvent, FALSE);
  KeInitializeEvent(&ended_, NotificationEvent, FALSE);
  OBJECT_ATTRIBUTES attributes;
  // A kernel handle, not a program's.
  InitializeObjectAttributes(&attributes, nullptr, OBJ_KERNEL_HANDLE, nullptr, nullptr);
  HANDLE handle = nullptr;
  NTSTATUS status = PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, nullptr, nullptr, run_thread, this);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  status = ObReferenceObjectByHandle(handle, SYNCHRONIZE, nullptr, KernelMode, &thread_, nullptr);
  static_cast<void>(ZwClose(handle));
  if (!NT_SUCCESS(status)) {
    // This cannot happen in practice, because the handle was just made. If it does, only the thread's last event can be
    // waited for, not the thread itself.
    static_cast<void>(KeSetEvent(&end_, 0, FALSE));
    static_cast<void>(KeWaitForSingleObject(&ended_, Executive, KernelMode, FALSE, nullptr));
    thread_ = nullptr;
    return status;
  }
  static_cast<void>(KeSetPriorityThread(static_cast<KTHREAD*>(thread_), LOW_REALTIME_PRIORITY));
  return STATUS_SUCCESS;
}

void SystemThread::stop() {
  if (thread_ == nullptr) {
    return;
  }
  static_cast<void>(KeSetEvent(&end_, 0, FALSE));
  static_cast<void>(KeWaitForSingleObject(thread_, Executive, KernelMode, FALSE, nullptr));
  static_cast<void>(ObDereferenceObject(thread_));
  thread_ = nullptr;
}

void SystemThread::run_thread(PVOID self) {
  SystemThread& it = *static_cast<SystemThread*>(self);
  it.run_(it.context_);
  static_cast<void>(KeSetEvent(&it.ended_, 0, FALSE));
  static_cast<void>(PsTerminateSystemThread(STATUS_SUCCESS));
}

}  // namespace wperf::driver
