// SPDX-License-Identifier: BSD-3-Clause
// The driver's devices and the routines that the I/O manager calls for them. There is one device at a time: the device
// of the root-enumerated device node (pnp.cpp), or a plain device with a name (driver_entry.cpp). All routines run at
// IRQL PASSIVE_LEVEL: the device is opened and controlled by programs, and its power requests are pageable.
#pragma once
#include "driver/nt/nt.h"
#include "driver/nt/service.h"

namespace wperf::driver {

struct DeviceExtension {
  Service* service;
  DEVICE_OBJECT* physical;        // null for a plain device
  DEVICE_OBJECT* lower;           // next in the stack; also null for a plain device
  UNICODE_STRING interface_name;  // as the system returned it
  bool started;
  bool interface_enabled;
  IO_REMOVE_LOCK remove_lock;  // held by every request while it uses the members above
};

inline DeviceExtension& extension_of(DEVICE_OBJECT* device) {
  return *static_cast<DeviceExtension*>(device->DeviceExtension);
}

NTSTATUS complete(IRP* irp, NTSTATUS status, u32 information = 0);

// Creates a device object and initializes its extension, except physical, lower and interface_name. `name` is null for
// a device without a name.
[[nodiscard]] NTSTATUS make_device(DRIVER_OBJECT* driver, UNICODE_STRING* name, DEVICE_OBJECT** device);
void remove_device(DEVICE_OBJECT* device);  // its service has ended; the object is freed when its last handle is closed

// Major functions: requests.cpp
NTSTATUS handle_create(DEVICE_OBJECT* device, IRP* irp);
NTSTATUS handle_cleanup(DEVICE_OBJECT* device, IRP* irp);
NTSTATUS handle_close(DEVICE_OBJECT* device, IRP* irp);
NTSTATUS handle_control(DEVICE_OBJECT* device, IRP* irp);
// pnp.cpp
NTSTATUS add_device(DRIVER_OBJECT* driver, DEVICE_OBJECT* physical_device);
NTSTATUS handle_pnp(DEVICE_OBJECT* device, IRP* irp);
NTSTATUS handle_power(DEVICE_OBJECT* device, IRP* irp);
NTSTATUS handle_system_control(DEVICE_OBJECT* device, IRP* irp);

}  // namespace wperf::driver
