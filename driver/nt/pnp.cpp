// SPDX-License-Identifier: BSD-3-Clause
// The function driver of the root-enumerated device. It has no hardware resources, so the plug and play manager's
// requests only decide when the device may be opened, and the device may be removed at any time.
#include "abi/device_interface.h"
#include "driver/nt/control_device.h"
#include "driver/nt/request_scope.h"

namespace wperf::driver {
namespace {

constexpr GUID kInterface = WPERF_INTERFACE_GUID;

NTSTATUS pass_down(DeviceExtension& extension, IRP* irp) {
  if (extension.lower == nullptr) {
    return complete(irp, STATUS_INVALID_DEVICE_REQUEST);
  }
  IoSkipCurrentIrpStackLocation(irp);
  return IoCallDriver(extension.lower, irp);
}

NTSTATUS pass_down_as_done(DeviceExtension& extension, IRP* irp) {
  irp->IoStatus.Status = STATUS_SUCCESS;
  return pass_down(extension, irp);
}

// The drivers below this one start first.
NTSTATUS start(DeviceExtension& extension, IRP* irp) {
  NTSTATUS status = STATUS_NO_SUCH_DEVICE;
  if (IoForwardIrpSynchronously(extension.lower, irp)) {
    status = irp->IoStatus.Status;
  }
  if (NT_SUCCESS(status) && !extension.interface_enabled) {
    status = IoSetDeviceInterfaceState(&extension.interface_name, TRUE);
    extension.interface_enabled = NT_SUCCESS(status);
  }
  if (NT_SUCCESS(status)) {
    extension.started = true;
    extension.service->admit_clients(true);
  }
  return complete(irp, status);
}

void close_doors(DeviceExtension& extension) {
  extension.started = false;
  extension.service->admit_clients(false);
}

// For a device that will not start again. A stopped device keeps its interface.
void disable_interface(DeviceExtension& extension) {
  if (extension.interface_enabled) {
    extension.interface_enabled = false;
    static_cast<void>(IoSetDeviceInterfaceState(&extension.interface_name, FALSE));
  }
}

// The last request of the device; it comes with the remove lock held.
NTSTATUS remove(DEVICE_OBJECT* device, IRP* irp) {
  DeviceExtension& extension = extension_of(device);
  close_doors(extension);
  disable_interface(extension);
  extension.service->end();
  IoReleaseRemoveLockAndWait(&extension.remove_lock, irp);
  DEVICE_OBJECT* lower = extension.lower;
  const NTSTATUS status = pass_down_as_done(extension, irp);
  IoDetachDevice(lower);
  remove_device(device);
  return status;
}

}  // namespace

NTSTATUS add_device(DRIVER_OBJECT* driver, DEVICE_OBJECT* physical_device) {
  DEVICE_OBJECT* device = nullptr;
  NTSTATUS status = make_device(driver, nullptr, &device);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  DeviceExtension& extension = extension_of(device);
  extension.physical = physical_device;
  status = IoRegisterDeviceInterface(physical_device, &kInterface, nullptr, &extension.interface_name);
  if (NT_SUCCESS(status)) {
    extension.lower = IoAttachDeviceToDeviceStack(device, physical_device);
    status = extension.lower == nullptr ? STATUS_NO_SUCH_DEVICE : STATUS_SUCCESS;
  }
  if (!NT_SUCCESS(status)) {
    extension.service->end();
    remove_device(device);
    return status;
  }
  device->Flags |= DO_POWER_PAGABLE;
  device->Flags &= ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

NTSTATUS handle_pnp(DEVICE_OBJECT* device, IRP* irp) {
  DeviceExtension& extension = extension_of(device);
  const UCHAR minor = IoGetCurrentIrpStackLocation(irp)->MinorFunction;
  if (extension.lower != nullptr && minor == IRP_MN_REMOVE_DEVICE) {
    const NTSTATUS status = IoAcquireRemoveLock(&extension.remove_lock, irp);
    return NT_SUCCESS(status) ? remove(device, irp) : complete(irp, status);
  }
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  if (extension.lower == nullptr) {
    return complete(irp, STATUS_INVALID_DEVICE_REQUEST);
  }
  switch (minor) {
    case IRP_MN_START_DEVICE:
      return start(extension, irp);
    case IRP_MN_QUERY_REMOVE_DEVICE:
    case IRP_MN_QUERY_STOP_DEVICE:
      extension.service->admit_clients(false);
      return pass_down_as_done(extension, irp);
    case IRP_MN_CANCEL_REMOVE_DEVICE:
    case IRP_MN_CANCEL_STOP_DEVICE:
      extension.service->admit_clients(extension.started);
      return pass_down_as_done(extension, irp);
    case IRP_MN_STOP_DEVICE:
      close_doors(extension);
      extension.service->stop_measuring();
      return pass_down_as_done(extension, irp);
    case IRP_MN_SURPRISE_REMOVAL:
      close_doors(extension);
      disable_interface(extension);
      extension.service->end();
      return pass_down_as_done(extension, irp);
    default:
      return pass_down(extension, irp);
  }
}

// The device has no power state; it follows the system. Cores lose their counters in sleep.
NTSTATUS handle_power(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  const IO_STACK_LOCATION& stack = *IoGetCurrentIrpStackLocation(irp);
  const auto& power = stack.Parameters.Power;
  if (stack.MinorFunction == IRP_MN_SET_POWER && power.Type == SystemPowerState &&
      power.State.SystemState > PowerSystemWorking) {
    extension_of(device).service->stop_measuring();
  }
  return pass_down(extension_of(device), irp);
}

NTSTATUS handle_system_control(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  return pass_down(extension_of(device), irp);
}

}  // namespace wperf::driver
