// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/ticker.h"

namespace wperf::driver {

NTSTATUS Ticker::start(u32 period_ms) {
  period_ms_ = period_ms;
  KeInitializeTimerEx(&timer_, SynchronizationTimer);
  KeInitializeEvent(&stop_, NotificationEvent, FALSE);
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
    static_cast<void>(KeSetEvent(&stop_, 0, FALSE));
    static_cast<void>(KeWaitForSingleObject(&ended_, Executive, KernelMode, FALSE, nullptr));
    thread_ = nullptr;
    return status;
  }
  // The thread's priority is higher than that of all programs, because the measured programs keep the cores busy, and
  // slots must not become longer.
  static_cast<void>(KeSetPriorityThread(static_cast<KTHREAD*>(thread_), LOW_REALTIME_PRIORITY));
  return STATUS_SUCCESS;
}

void Ticker::stop() {
  if (thread_ == nullptr) {
    return;
  }
  static_cast<void>(KeSetEvent(&stop_, 0, FALSE));
  static_cast<void>(KeWaitForSingleObject(thread_, Executive, KernelMode, FALSE, nullptr));
  static_cast<void>(ObDereferenceObject(thread_));
  thread_ = nullptr;
}

void Ticker::run_thread(PVOID self) {
  static_cast<Ticker*>(self)->run();
  static_cast<void>(PsTerminateSystemThread(STATUS_SUCCESS));
}

void Ticker::run() {
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>(period_ms_) * 10'000;  // relative, in 100 ns
  static_cast<void>(KeSetTimerEx(&timer_, due, static_cast<LONG>(period_ms_), nullptr));
  // Windows' clock ticks every 15.6 ms unless a program requests a faster rate, and a timer waits for the clock. A
  // tenth of the period is enough. A fast clock costs the whole machine power, so it is requested only while this
  // thread lives.
  static_cast<void>(ExSetTimerResolution(period_ms_ * 1'000, TRUE));
  PVOID objects[] = {&stop_, &timer_};
  while (KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr) !=
         STATUS_WAIT_0) {
    tick_(context_);
  }
  static_cast<void>(ExSetTimerResolution(0, FALSE));
  static_cast<void>(KeCancelTimer(&timer_));
  static_cast<void>(KeSetEvent(&ended_, 0, FALSE));
}

}  // namespace wperf::driver
