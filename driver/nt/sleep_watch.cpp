// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/sleep_watch.h"

namespace wperf::driver {

void SleepWatch::start() {
  KeInitializeEvent(&sleeps_, SynchronizationEvent, FALSE);
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, L"\\Callback\\PowerState");
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, nullptr, nullptr);
  if (!NT_SUCCESS(ExCreateCallback(&notifications_, &attributes, FALSE, TRUE))) {
    notifications_ = nullptr;
    return;
  }
  if (NT_SUCCESS(thread_.start([](void* self) { static_cast<SleepWatch*>(self)->run(); }, this))) {
    registration_ = ExRegisterCallback(notifications_, on_power, this);
  }
}

void SleepWatch::stop() {
  if (registration_ != nullptr) {
    ExUnregisterCallback(registration_);
    registration_ = nullptr;
  }
  thread_.stop();
  if (notifications_ != nullptr) {
    static_cast<void>(ObDereferenceObject(notifications_));
    notifications_ = nullptr;
  }
}

// Called before the sleep with a value of 0, and again after it. IRQL <= DISPATCH_LEVEL.
void SleepWatch::on_power(PVOID self, PVOID what, PVOID value) {
  if (reinterpret_cast<ULONG_PTR>(what) == PO_CB_SYSTEM_STATE_LOCK && value == nullptr) {
    static_cast<void>(KeSetEvent(&static_cast<SleepWatch*>(self)->sleeps_, 0, FALSE));
  }
}

void SleepWatch::run() {
  PVOID objects[] = {&thread_.end(), &sleeps_};
  while (KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr) !=
         STATUS_WAIT_0) {
    service_.stop_measuring();
  }
}

}  // namespace wperf::driver
