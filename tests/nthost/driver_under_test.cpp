// SPDX-License-Identifier: BSD-3-Clause
// Loading, starting and stopping the driver: the service control manager and the PnP manager.
#include "tests/nthost/driver_under_test.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_loader.h"
#include "tests/nthost/file_calls.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostStacks = 2;
constexpr u32 kPathTag = 0x68746150;
constexpr NTSTATUS kNotSupported = STATUS_NOT_SUPPORTED;

DRIVER_EXTENSION extension;
DEVICE_OBJECT* bus_devices[kMostStacks];
bool loaded = false, unload_pending = false, surprised = false;
u32 pins = 0;

// The routine that the I/O manager puts into every entry that DriverEntry does not set.
NTSTATUS refuse(DEVICE_OBJECT*, IRP* irp) {
  irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
  irp->IoStatus.Information = 0;
  IofCompleteRequest(irp, IO_NO_INCREMENT);
  return STATUS_INVALID_DEVICE_REQUEST;
}

void check_level(const char* routine) {
  if (current_irql() == kPassive && (WPERF_READ_SYSREG("daif") & 0x80) == 0) return;
  fail("{} returned at {}", routine, name_of_level(current_irql()));
  set_irql(kPassive);
  asm volatile("msr daifclr, #2" : : : "memory");
}

NTSTATUS call_entry(const LoadedImage& image) {
  driver_object = {};
  extension = {&driver_object, nullptr, 0, {}};
  driver_object.Type = 4;
  driver_object.Size = sizeof driver_object;
  driver_object.DriverStart = reinterpret_cast<PVOID>(image.base);
  driver_object.DriverSize = static_cast<ULONG>(image.size);
  driver_object.DriverExtension = &extension;
  for (auto& entry : driver_object.MajorFunction) entry = &refuse;
  // The path belongs to the loader. A driver that needs it later must copy it.
  auto* text = static_cast<WCHAR*>(allocate_pool(sizeof kRegistryPath, kPathTag, "the service control manager"));
  if (text == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  memcpy(text, kRegistryPath, sizeof kRegistryPath);
  UNICODE_STRING path = {sizeof kRegistryPath - 2, sizeof kRegistryPath, text};
  const auto entry = reinterpret_cast<NTSTATUS (*)(DRIVER_OBJECT*, UNICODE_STRING*)>(image.entry);
  const NTSTATUS status = entry(&driver_object, &path);
  check_level("DriverEntry");
  free_pool(text, kPathTag, "the service control manager");
  for (DEVICE_OBJECT* it = driver_object.DeviceObject; it != nullptr; it = it->NextDevice) {
    it->Flags &= ~DO_DEVICE_INITIALIZING;
  }
  return status;
}

void check_gone() {
  report_kernel_leaks();
  if (pins == 0) unload_image();
  loaded = unload_pending = surprised = false;
}

void finish_unload() {
  if (driver_object.DriverUnload == nullptr) give_up("the driver has no DriverUnload");
  driver_object.DriverUnload(&driver_object);
  check_level("DriverUnload");
  check_gone();
}

NTSTATUS send_pnp(DEVICE_OBJECT* bus, u8 minor) {
  const u64 before = requests_seen_by_bus();
  const Completed done = send_request(
      top_of_stack(bus), {.major = IRP_MJ_PNP, .minor = minor, .initial_status = kNotSupported, .mode = KernelMode});
  const u64 seen = requests_seen_by_bus() - before;
  // A driver may complete a query with an error. Any other request must reach the bus.
  if (seen > 1 || (seen == 0 && NT_SUCCESS(done.status))) fail("IRP_MN {x} reached the bus {} times", minor, seen);
  return done.status;
}

NTSTATUS add_device(DEVICE_OBJECT** slot) {
  if (extension.AddDevice == nullptr) give_up("the driver has no AddDevice");
  DEVICE_OBJECT* bus = make_bus_device();
  if (bus == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  const NTSTATUS added = extension.AddDevice(&driver_object, bus);
  check_level("AddDevice");
  if (!NT_SUCCESS(added)) {
    drop_bus_device(bus);
    return added;
  }
  *slot = bus;
  DEVICE_OBJECT* top = top_of_stack(bus);
  if (top == bus) fail("AddDevice attached nothing");
  if ((top->Flags & DO_DEVICE_INITIALIZING) != 0) fail("AddDevice left DO_DEVICE_INITIALIZING set");
  return send_pnp(bus, IRP_MN_START_DEVICE);
}

void remove_stack(DEVICE_OBJECT*& bus) {
  if (bus == nullptr) return;
  const NTSTATUS status = send_pnp(bus, IRP_MN_REMOVE_DEVICE);
  if (!NT_SUCCESS(status)) fail("IRP_MN_REMOVE_DEVICE was completed with {x}", static_cast<u32>(status));
  drop_bus_device(bus);
  bus = nullptr;
}

void remove_all() {
  for (DEVICE_OBJECT*& bus : bus_devices) remove_stack(bus);
  finish_unload();
}

u32 unload_pnp() {
  const bool open = open_files() != 0;
  if (!surprised) {
    for (DEVICE_OBJECT* bus : bus_devices) {
      if (bus == nullptr) continue;
      const NTSTATUS status = send_pnp(bus, IRP_MN_QUERY_REMOVE_DEVICE);
      if (NT_SUCCESS(status) && !open) continue;
      send_pnp(bus, IRP_MN_CANCEL_REMOVE_DEVICE);
      return static_cast<u32>(NT_SUCCESS(status) ? STATUS_UNSUCCESSFUL : status);
    }
  }
  if (open) return static_cast<u32>(STATUS_UNSUCCESSFUL);
  remove_all();
  return 0;
}

bool is_pnp() {
  return bus_devices[0] != nullptr;
}

Completed send_power(u8 minor, u32 state) {
  if (!is_pnp()) give_up("there is no device to send power requests to");
  Request request = {.major = IRP_MJ_POWER, .minor = minor, .initial_status = kNotSupported, .mode = KernelMode};
  request.parameters.Parameters.Power.Type = SystemPowerState;
  request.parameters.Parameters.Power.State.SystemState = static_cast<SYSTEM_POWER_STATE>(state);
  const u64 before = requests_seen_by_bus();
  const Completed done = send_request(top_of_stack(bus_devices[0]), request);
  if (NT_SUCCESS(done.status) && requests_seen_by_bus() != before + 1) fail("a power request did not reach the bus");
  return done;
}

}  // namespace

u32 load(Start how) {
  if (loaded) give_up("the driver is loaded already");
  const LoadedImage image = load_image();
  loaded = true;
  pins = 0;
  set_pnp_value(how == Start::pnp, 1);
  NTSTATUS status = call_entry(image);
  if (!NT_SUCCESS(status)) {  // in this case Windows does not call DriverUnload
    check_gone();
    return static_cast<u32>(status);
  }
  if (how == Start::service) {
    if (find_device_by_link() == nullptr) fail("DriverEntry made no device behind {}", "\\\\.\\WPERFDRV");
    return 0;
  }
  if (driver_object.DeviceObject != nullptr) fail("DriverEntry made a device although PnP is 1");
  status = add_device(&bus_devices[0]);
  if (!NT_SUCCESS(status)) {
    remove_all();
    return static_cast<u32>(status);
  }
  if (!interface_enabled()) fail("the device is started and its interface is not enabled");
  return 0;
}

u32 unload() {
  if (!loaded) give_up("the driver is not loaded");
  if (is_pnp()) return unload_pnp();
  if (open_files() != 0) {
    unload_pending = true;
    return static_cast<u32>(STATUS_SUCCESS);
  }
  finish_unload();
  return 0;
}

bool is_loaded() {
  return loaded;
}
bool stays_in_memory() {
  return pins != 0;
}
void pin_driver() {
  ++pins;
}
void unpin_driver() {
  if (pins == 0) {
    fail("the driver gives up a reference to itself that it has not");
    return;
  }
  if (--pins != 0 || loaded) return;
  report_pool_leaks();
  unload_image();
}
bool is_driver_pinned() {
  return pins != 0;
}
bool is_going() {
  return !loaded || unload_pending || surprised;
}

void last_file_closed() {
  if (unload_pending) finish_unload();
  if (surprised) remove_all();
}

u64 offset_in_driver(u64 address) {
  return offset_in_image(address);
}

u32 pnp_request(u8 minor) {
  if (!is_pnp()) give_up("there is no device to send PnP requests to");
  return static_cast<u32>(send_pnp(bus_devices[0], minor));
}

u32 surprise_remove() {
  u32 status = 0;
  for (DEVICE_OBJECT* bus : bus_devices) {
    if (bus == nullptr) continue;
    const NTSTATUS sent = send_pnp(bus, IRP_MN_SURPRISE_REMOVAL);
    if (!NT_SUCCESS(sent)) status = static_cast<u32>(sent);
  }
  surprised = true;
  if (open_files() == 0) remove_all();
  return status;
}

u32 set_system_power(u32 state) {
  return static_cast<u32>(send_power(IRP_MN_SET_POWER, state).status);
}
u32 query_system_power(u32 state) {
  return static_cast<u32>(send_power(IRP_MN_QUERY_POWER, state).status);
}

u32 add_second_device() {
  const NTSTATUS status = add_device(&bus_devices[1]);
  if (!NT_SUCCESS(status)) remove_stack(bus_devices[1]);
  return static_cast<u32>(status);
}

}  // namespace wperf::nthost
