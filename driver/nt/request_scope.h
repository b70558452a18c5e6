// SPDX-License-Identifier: BSD-3-Clause
// Holds a device's remove lock while a request uses the device. IRQL PASSIVE_LEVEL.
#pragma once
#include "driver/nt/control_device.h"

namespace wperf::driver {

class RequestScope {
 public:
  RequestScope(DEVICE_OBJECT* device, IRP* irp)
      : lock_(extension_of(device).remove_lock), irp_(irp), status_(IoAcquireRemoveLock(&lock_, irp)) {}
  ~RequestScope() {
    if (NT_SUCCESS(status_)) {
      IoReleaseRemoveLock(&lock_, irp_);
    }
  }
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;

  NTSTATUS status() const { return status_; }  // a failure if the device is being removed; the request ends with that

 private:
  IO_REMOVE_LOCK& lock_;
  IRP* const irp_;  // may be completed before this object ends; only its address is used
  const NTSTATUS status_;
};

}  // namespace wperf::driver
