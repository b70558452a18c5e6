// SPDX-License-Identifier: BSD-3-Clause
// The driver's entry and exit. If it is installed as a device, the plug and play manager makes the device (add_device).
// If it is started as a plain service, a device with a name exists from the start. The INF's registry value decides.
// IRQL PASSIVE_LEVEL.
#include "abi/device_interface.h"
#include "driver/nt/control_device.h"
#include "driver/nt/overflow_interrupt.h"
#include "driver/nt/pool.h"
#include "driver/nt/registry.h"
#include "driver/nt/sleep_watch.h"
#include "driver/nt/thread_calls.h"

namespace wperf::driver {
namespace {

#define WPERF_WIDE2(text) L##text
#define WPERF_WIDE(text) WPERF_WIDE2(text)
constexpr const WCHAR* kDeviceName = WPERF_WIDE(WPERF_DEVICE_NAME);
constexpr const WCHAR* kDeviceLink = WPERF_WIDE(WPERF_DEVICE_LINK);

DEVICE_OBJECT* plain_device;
SleepWatch* sleep_watch;  // of the plain device; null without memory
bool device_exists;  // changed by routines of the plug and play manager and of this driver, which run one at a time

NTSTATUS make_plain_device(DRIVER_OBJECT* driver) {
  UNICODE_STRING name, link;
  RtlInitUnicodeString(&name, kDeviceName);
  RtlInitUnicodeString(&link, kDeviceLink);
  DEVICE_OBJECT* device = nullptr;
  NTSTATUS status = make_device(driver, &name, &device);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  status = IoCreateSymbolicLink(&link, &name);
  if (!NT_SUCCESS(status)) {
    extension_of(device).service->end();
    remove_device(device);
    return status;
  }
  plain_device = device;
  sleep_watch = new_object<SleepWatch>(*extension_of(device).service);
  if (sleep_watch != nullptr) {
    sleep_watch->start();
  }
  extension_of(device).service->admit_clients(true);
  device->Flags &= ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

void remove_plain_device() {
  UNICODE_STRING link;
  RtlInitUnicodeString(&link, kDeviceLink);
  static_cast<void>(IoDeleteSymbolicLink(&link));
  if (sleep_watch != nullptr) {
    sleep_watch->stop();
    delete_object(sleep_watch);
    sleep_watch = nullptr;
  }
  extension_of(plain_device).service->end();
  remove_device(plain_device);
  plain_device = nullptr;
}

// Before this call, the I/O manager has waited for the last handle to be closed, and the plug and play manager has
// removed its device.
void unload(DRIVER_OBJECT* driver) {
  if (plain_device != nullptr) {
    remove_plain_device();
  }
  give_overflow_interrupt_back(driver);
  keep_code_for_thread_calls(driver);
  KeFlushQueuedDpcs();  // waits for the last instructions of the driver's deferred calls
}

}  // namespace

NTSTATUS make_device(DRIVER_OBJECT* driver, UNICODE_STRING* name, DEVICE_OBJECT** device) {
  if (device_exists) {
    return STATUS_OBJECT_NAME_COLLISION;  // refuses a second device node, because both would use the same counters
  }
  DEVICE_OBJECT* fresh = nullptr;
  const NTSTATUS status = IoCreateDevice(driver, sizeof(DeviceExtension), name, FILE_DEVICE_UNKNOWN,
                                         FILE_DEVICE_SECURE_OPEN, FALSE, &fresh);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  Service* service = new_object<Service>();
  if (service == nullptr) {
    IoDeleteDevice(fresh);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  DeviceExtension& extension = extension_of(fresh);  // zeroed by the system
  extension.service = service;
  IoInitializeRemoveLock(&extension.remove_lock, kPoolTag, 0, 0);
  fresh->Flags |= DO_BUFFERED_IO;
  device_exists = true;
  *device = fresh;
  return STATUS_SUCCESS;
}

void remove_device(DEVICE_OBJECT* device) {
  DeviceExtension& extension = extension_of(device);
  if (extension.interface_name.Buffer != nullptr) {
    RtlFreeUnicodeString(&extension.interface_name);
  }
  delete_object(extension.service);
  extension.service = nullptr;
  device_exists = false;
  IoDeleteDevice(device);
}

}  // namespace wperf::driver

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  using namespace wperf::driver;
  driver->MajorFunction[IRP_MJ_CREATE] = handle_create;
  driver->MajorFunction[IRP_MJ_CLEANUP] = handle_cleanup;
  driver->MajorFunction[IRP_MJ_CLOSE] = handle_close;
  driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = handle_control;
  driver->MajorFunction[IRP_MJ_PNP] = handle_pnp;
  driver->MajorFunction[IRP_MJ_POWER] = handle_power;
  driver->MajorFunction[IRP_MJ_SYSTEM_CONTROL] = handle_system_control;
  driver->DriverUnload = unload;
  driver->DriverExtension->AddDevice = add_device;
  return is_installed_as_device(registry_path) ? STATUS_SUCCESS : make_plain_device(driver);
}
