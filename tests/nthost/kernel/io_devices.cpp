// SPDX-License-Identifier: BSD-3-Clause
// Devices and their names: IoCreateDevice, IoDeleteDevice, IoCreateSymbolicLink, IoDeleteSymbolicLink,
// IoRegisterDeviceInterface, IoSetDeviceInterfaceState, IoAttachDeviceToDeviceStack, IoDetachDevice,
// IoGetFileObjectGenericMapping, and the host's bus driver below the driver's stack.
#include "abi/device_interface.h"
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {

DRIVER_OBJECT driver_object;

namespace {

constexpr u32 kMostDevices = 8, kMostInterfaces = 4, kNameSize = 128;
constexpr u32 kDeviceTag = 0x69766544, kStringTag = 0x20206f49;
constexpr u16 kDeviceType = 3;

// A name as the object manager compares it: without regard to case.
struct Name {
  bool there;
  u16 length;  // characters
  WCHAR text[kNameSize];
};

struct Device {
  DEVICE_OBJECT* object;  // null = the entry is free
  DEVICE_OBJECT* below;
  bool of_bus;
  Name name;
};
struct Link {
  Name name, target;
};
struct Interface {
  DEVICE_OBJECT* device;
  Name name;
  bool enabled;
};

Device devices[kMostDevices];
Link links[4];
Interface interfaces[kMostInterfaces];
DRIVER_OBJECT bus_driver;
u64 bus_requests = 0;

WCHAR lower(WCHAR c) {
  return c >= L'A' && c <= L'Z' ? static_cast<WCHAR>(c - L'A' + L'a') : c;
}

Name name_of(const UNICODE_STRING& string) {
  Name name = {true, static_cast<u16>(string.Length / 2), {}};
  if (string.Length / 2 >= kNameSize) give_up("a name of {} characters", string.Length / 2);
  for (u32 i = 0; i < name.length; ++i) name.text[i] = lower(string.Buffer[i]);
  return name;
}

Name name_of(const char* text) {
  Name name = {true, static_cast<u16>(length_of(text)), {}};
  for (u32 i = 0; i < name.length; ++i) name.text[i] = lower(static_cast<WCHAR>(text[i]));
  return name;
}

bool same(const Name& a, const Name& b) {
  return a.there && b.there && a.length == b.length && memcmp(a.text, b.text, a.length * 2u) == 0;
}

Device* find(const DEVICE_OBJECT* object) {
  for (Device& it : devices) {
    if (it.object != nullptr && it.object == object) return &it;
  }
  return nullptr;
}

Device& must_find(const DEVICE_OBJECT* object, const char* function) {
  Device* device = find(object);
  if (device == nullptr) give_up("{}: {x} is no device", function, object);
  return *device;
}

Device* make_device(DRIVER_OBJECT* driver, u64 extension_size, const char* giver) {
  for (Device& it : devices) {
    if (it.object != nullptr) continue;
    void* memory = allocate_pool(sizeof(DEVICE_OBJECT) + extension_size, kDeviceTag, giver);
    if (memory == nullptr) return nullptr;
    it = {};
    it.object = static_cast<DEVICE_OBJECT*>(memory);
    it.object->Type = kDeviceType;
    it.object->Size = static_cast<USHORT>(sizeof(DEVICE_OBJECT) + extension_size);
    it.object->DriverObject = driver;
    it.object->StackSize = 1;
    it.object->DeviceExtension = extension_size == 0 ? nullptr : it.object + 1;
    it.object->NextDevice = driver->DeviceObject;
    driver->DeviceObject = it.object;
    return &it;
  }
  return nullptr;
}

void remove_device(Device& device) {
  DEVICE_OBJECT** link = &device.object->DriverObject->DeviceObject;
  while (*link != nullptr && *link != device.object) link = &(*link)->NextDevice;
  if (*link != nullptr) *link = device.object->NextDevice;
  free_pool(device.object, kDeviceTag, "IoDeleteDevice");
  device = {};
}

// The bus accepts all requests, power requests included.
NTSTATUS bus_dispatch(DEVICE_OBJECT*, IRP* irp) {
  ++bus_requests;
  irp->IoStatus.Status = STATUS_SUCCESS;
  IofCompleteRequest(irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

}  // namespace

DEVICE_OBJECT* make_bus_device() {
  for (auto& entry : bus_driver.MajorFunction) entry = &bus_dispatch;
  Device* device = make_device(&bus_driver, 0, "the host's bus");
  if (device == nullptr) return nullptr;
  device->of_bus = true;
  return device->object;
}

void drop_bus_device(DEVICE_OBJECT* device) {
  if (device->AttachedDevice != nullptr) {
    fail("leak: the driver is still attached to the device that is gone");
    device->AttachedDevice = nullptr;
  }
  for (Interface& it : interfaces) {  // registrations stay for ever; an enabled interface ends with its device
    if (it.device != device) continue;
    if (it.enabled) fail("leak: the interface of a device that is gone is still enabled");
    it = {};
  }
  remove_device(must_find(device, "the host's bus"));
}

DEVICE_OBJECT* top_of_stack(DEVICE_OBJECT* device) {
  while (device->AttachedDevice != nullptr) device = device->AttachedDevice;
  return device;
}

DEVICE_OBJECT* find_device_by_link() {
  const Name wanted = name_of(WPERF_DEVICE_LINK);
  for (const Link& link : links) {
    if (!same(link.name, wanted)) continue;
    for (const Device& device : devices) {
      if (device.object != nullptr && same(device.name, link.target)) return device.object;
    }
  }
  return nullptr;
}

DEVICE_OBJECT* device_of_interface() {
  for (const Interface& it : interfaces) {
    if (it.device != nullptr && it.enabled) return it.device;
  }
  return nullptr;
}

bool interface_enabled() {
  return device_of_interface() != nullptr;
}

bool has_interface() {
  for (const Interface& it : interfaces) {
    if (it.device != nullptr) return true;
  }
  return false;
}

bool is_device(const DEVICE_OBJECT* device) {
  return find(device) != nullptr;
}
u64 requests_seen_by_bus() {
  return bus_requests;
}

void report_io_leaks() {
  for (Device& it : devices) {
    if (it.object == nullptr) continue;
    fail(it.of_bus ? "the host forgot a device of its bus" : "leak: a device object");
    remove_device(it);
  }
  for (Link& it : links) {
    if (it.name.there) fail("leak: a symbolic link");
    it = {};
  }
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS IoCreateDevice(DRIVER_OBJECT* driver, ULONG extension_size, UNICODE_STRING* name, ULONG type,
                                   ULONG characteristics, BOOLEAN exclusive, DEVICE_OBJECT** device) {
  WPERF_ALLOW_UP_TO(kApc);
  if (driver != &driver_object) give_up("IoCreateDevice: {x} is not the driver's object", driver);
  const Name wanted = name == nullptr ? Name{} : name_of(*name);
  for (const Device& it : devices) {
    if (it.object != nullptr && same(it.name, wanted)) return STATUS_OBJECT_NAME_COLLISION;
  }
  Device* made = make_device(driver, extension_size, __func__);
  if (made == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  made->name = wanted;
  made->object->DeviceType = type;
  made->object->Characteristics = characteristics;
  made->object->Flags = DO_DEVICE_INITIALIZING | (exclusive ? 8u : 0u);
  *device = made->object;
  return STATUS_SUCCESS;
}

extern "C" void IoDeleteDevice(DEVICE_OBJECT* device) {
  WPERF_ALLOW_UP_TO(kApc);
  Device& it = must_find(device, __func__);
  if (it.of_bus) give_up("IoDeleteDevice: this device is the bus's");
  if (device->AttachedDevice != nullptr) fail("IoDeleteDevice: another device is attached to it");
  if (it.below != nullptr) {
    fail("IoDeleteDevice: it is still attached to the device below");
    it.below->AttachedDevice = nullptr;
  }
  if (device->ReferenceCount != 0) fail("IoDeleteDevice: {} files are open on it", device->ReferenceCount);
  remove_device(it);
}

extern "C" NTSTATUS IoCreateSymbolicLink(UNICODE_STRING* link, UNICODE_STRING* device_name) {
  WPERF_ALLOW_ONLY(kPassive);
  const Name wanted = name_of(*link);
  for (const Link& it : links) {
    if (same(it.name, wanted)) return STATUS_OBJECT_NAME_COLLISION;
  }
  for (Link& it : links) {
    if (it.name.there) continue;
    it = {wanted, name_of(*device_name)};
    return STATUS_SUCCESS;
  }
  return STATUS_INSUFFICIENT_RESOURCES;
}

extern "C" NTSTATUS IoDeleteSymbolicLink(UNICODE_STRING* link) {
  WPERF_ALLOW_ONLY(kPassive);
  const Name wanted = name_of(*link);
  for (Link& it : links) {
    if (!same(it.name, wanted)) continue;
    it = {};
    return STATUS_SUCCESS;
  }
  fail("IoDeleteSymbolicLink: there is no such link");
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

extern "C" NTSTATUS IoRegisterDeviceInterface(DEVICE_OBJECT* physical_device, const GUID* interface_class,
                                              UNICODE_STRING* reference, UNICODE_STRING* name) {
  WPERF_ALLOW_ONLY(kPassive);
  if (!must_find(physical_device, __func__).of_bus) {
    fail("IoRegisterDeviceInterface: the device is not the bus's physical one");
    return static_cast<NTSTATUS>(0xC0000010);
  }
  const GUID ours = WPERF_INTERFACE_GUID;
  if (memcmp(interface_class, &ours, sizeof ours) != 0)
    fail("IoRegisterDeviceInterface: not the interface of device_interface.h");
  if (reference != nullptr) give_up("{}: reference strings are not offered", __func__);
  for (wperf::u32 i = 0; i < kMostInterfaces; ++i) {
    if (interfaces[i].device != nullptr) continue;
    WCHAR text[] = L"\\??\\ROOT#WPERFDRV#0000#{b90f1ac6-75b2-4b1e-9e67-c148d77903e0}";
    text[21] = static_cast<WCHAR>(L'0' + i);
    auto* buffer = static_cast<WCHAR*>(allocate_pool(sizeof text, kStringTag, __func__));
    if (buffer == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
    memcpy(buffer, text, sizeof text);
    *name = {sizeof text - 2, sizeof text, buffer};
    interfaces[i] = {physical_device, name_of(*name), false};
    return STATUS_SUCCESS;
  }
  return STATUS_INSUFFICIENT_RESOURCES;
}

extern "C" NTSTATUS IoSetDeviceInterfaceState(UNICODE_STRING* name, BOOLEAN enable) {
  WPERF_ALLOW_ONLY(kPassive);
  const Name wanted = name_of(*name);
  for (Interface& it : interfaces) {
    if (it.device == nullptr || !same(it.name, wanted)) continue;
    if (it.enabled == (enable != 0)) {
      fail("IoSetDeviceInterfaceState: the interface is already {}", enable ? "enabled" : "disabled");
      return enable ? static_cast<NTSTATUS>(0x40000000) : STATUS_OBJECT_NAME_NOT_FOUND;
    }
    it.enabled = enable != 0;
    return STATUS_SUCCESS;
  }
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

extern "C" DEVICE_OBJECT* IoAttachDeviceToDeviceStack(DEVICE_OBJECT* source, DEVICE_OBJECT* target) {
  WPERF_ALLOW_UP_TO(kDispatch);
  Device& it = must_find(source, __func__);
  must_find(target, __func__);
  DEVICE_OBJECT* top = top_of_stack(target);
  top->AttachedDevice = source;
  it.below = top;
  source->StackSize = static_cast<CCHAR>(top->StackSize + 1);
  return top;
}

extern "C" void IoDetachDevice(DEVICE_OBJECT* target) {
  WPERF_ALLOW_ONLY(kPassive);
  must_find(target, __func__);
  if (target->AttachedDevice == nullptr) {
    fail("IoDetachDevice: nothing is attached to {x}", target);
    return;
  }
  must_find(target->AttachedDevice, __func__).below = nullptr;
  target->AttachedDevice = nullptr;
}

extern "C" GENERIC_MAPPING* IoGetFileObjectGenericMapping() {
  WPERF_ALLOW_UP_TO(kApc);
  static GENERIC_MAPPING mapping = {0x0012'0089, 0x0012'0116, 0x0012'00a0, 0x001f'01ff};
  return &mapping;
}
