// SPDX-License-Identifier: BSD-3-Clause
// A driver for Wine that looks like wperf-driver.sys to a program that opens it, and sends every request over TCP to
// the real driver in the emulated machine. It appears like the real driver: with its device interface if an INF
// installed it as a device (Parameters\PnP = 1), otherwise as the device WPERF_DEVICE_NAME of a plain service. Settings
// for tests:
//
//   HKLM\Software\wperf-bridge  Port    where the machine listens on 127.0.0.1
//                               Rights  nthost::FrameRights of the users who open it; absent: administrators
//                               Arms    1: it has the device interface of Arm's driver, whose fake then answers
//
// Wine runs a driver's requests one after the other in one thread, so this file needs no locks.
#include "abi/device_interface.h"
#include "driver/nt/nt.h"
#include "tests/windows/bridge/bridge_registry.h"
#include "tests/windows/bridge/bridge_requests.h"
#include "tests/windows/bridge/clients.h"
#include "tests/windows/bridge/host_line.h"

#define WPERF_WIDE_(text) L##text
#define WPERF_WIDE(text) WPERF_WIDE_(text)

namespace wperf::bridge {
namespace {

using namespace nthost;

struct Extension {
  DEVICE_OBJECT* lower;  // null for the device of a plain service
  UNICODE_STRING interface_name;
};

HostLine g_line;
Clients g_clients;

constexpr NTSTATUS kHostIsGone = static_cast<NTSTATUS>(0xC0000241u);   // STATUS_CONNECTION_ABORTED
constexpr NTSTATUS kNobodyThere = static_cast<NTSTATUS>(0xC0000236u);  // STATUS_CONNECTION_REFUSED
constexpr ULONG kNoPort = 0;

ULONG setting(const WCHAR* name, ULONG otherwise) {
  UNICODE_STRING key;
  RtlInitUnicodeString(&key, L"\\Registry\\Machine\\Software\\wperf-bridge");
  return registry_number(nullptr, &key, name, otherwise);
}

wperf_u32 current_process() {
  return static_cast<wperf_u32>(reinterpret_cast<ULONG_PTR>(PsGetCurrentProcessId()));
}

NTSTATUS complete(IRP* irp, NTSTATUS status, ULONG_PTR information = 0) {
  irp->IoStatus.Status = status;
  irp->IoStatus.Information = information;
  IofCompleteRequest(irp, IO_NO_INCREMENT);
  return status;
}

// A frame without further bytes.
NTSTATUS tell(FrameKind kind, const Client& client, wperf_u32 rights = 0) {
  Frame frame = {};
  frame.kind = kind;
  frame.client = client.number;
  frame.process = client.process;
  frame.rights = rights;
  Answer answer = {};
  if (!g_line.ask(frame, nullptr, nullptr, answer)) return kHostIsGone;
  return static_cast<NTSTATUS>(answer.status);
}

Client* client_of(IRP* irp) {
  FILE_OBJECT* file = IoGetCurrentIrpStackLocation(irp)->FileObject;
  return file == nullptr ? nullptr : static_cast<Client*>(file->FsContext);
}

NTSTATUS on_create(DEVICE_OBJECT*, IRP* irp) {
  FILE_OBJECT* file = IoGetCurrentIrpStackLocation(irp)->FileObject;
  Client* client = g_clients.add(current_process());
  if (client == nullptr) return complete(irp, STATUS_INSUFFICIENT_RESOURCES);
  // Wine opens the file even if the driver refuses, so the refused client's first request fails instead.
  const NTSTATUS status = tell(kOpen, *client, setting(L"Rights", kRightsAdministrator));
  client->refused = NT_SUCCESS(status) ? 0 : status;
  file->FsContext = client;
  return complete(irp, status);
}

void clean_up(Client& client) {
  if (client.cleaned_up) return;
  client.cleaned_up = true;
  for (wperf_u32 cpu = 0; cpu < kMaxCpus; ++cpu) {
    if ((client.running >> cpu & 1) == 0) continue;
    Frame frame = {};
    frame.kind = kStopRun;
    frame.process = client.process;
    frame.input = sizeof(RunName);
    frame.capacity = sizeof(RunState);
    const RunName name = {cpu};
    RunState state = {};
    Answer answer = {};
    g_line.ask(frame, &name, &state, answer);
  }
  tell(kCleanup, client);
}

NTSTATUS on_cleanup(DEVICE_OBJECT*, IRP* irp) {
  if (Client* client = client_of(irp); client != nullptr && client->refused == 0) clean_up(*client);
  return complete(irp, STATUS_SUCCESS);
}

// Wine sends no IRP_MJ_CLEANUP. It sends IRP_MJ_CLOSE even if a program was killed.
NTSTATUS on_close(DEVICE_OBJECT*, IRP* irp) {
  if (Client* client = client_of(irp)) {
    if (client->refused == 0) {
      clean_up(*client);
      tell(kClose, *client);
    }
    Clients::remove(*client);
    IoGetCurrentIrpStackLocation(irp)->FileObject->FsContext = nullptr;
  }
  return complete(irp, STATUS_SUCCESS);
}

// The kind of frame for a request, and whether it starts or ends a program.
FrameKind kind_of(ULONG code) {
  switch (code) {
    case kBridgeRun:
      return kRun;
    case kBridgeRunState:
      return kRunState;
    case kBridgeStopRun:
      return kStopRun;
    default:
      return kControl;
  }
}

void note_program(Client& client, FrameKind kind, wperf_u32 cpu) {
  if (cpu >= kMaxCpus) return;
  if (kind == kRun) client.running |= wperf_u64{1} << cpu;
  if (kind == kStopRun) client.running &= ~(wperf_u64{1} << cpu);
}

NTSTATUS on_device_control(DEVICE_OBJECT*, IRP* irp) {
  Client* client = client_of(irp);
  if (client == nullptr) return complete(irp, STATUS_INVALID_PARAMETER);
  if (client->refused != 0) return complete(irp, client->refused);
  const auto& request = IoGetCurrentIrpStackLocation(irp)->Parameters.DeviceIoControl;
  const FrameKind kind = kind_of(request.IoControlCode);
  void* buffer = irp->AssociatedIrp.SystemBuffer;
  wperf_u32 cpu = kMaxCpus;
  if (kind == kRun && request.InputBufferLength >= sizeof(RunRequest))
    cpu = static_cast<const RunRequest*>(buffer)->cpu;
  if (kind == kStopRun && request.InputBufferLength >= sizeof(RunName)) cpu = static_cast<const RunName*>(buffer)->cpu;

  Frame frame = {};
  frame.kind = kind;
  frame.client = kind == kControl ? client->number : 0;
  frame.code = kind == kControl ? request.IoControlCode : 0;
  frame.process = current_process();
  frame.input = request.InputBufferLength;
  frame.capacity = request.OutputBufferLength;
  frame.rights = kRightsAdministrator;
  if (frame.input > kMaxPayload || frame.capacity > kMaxPayload) return complete(irp, STATUS_INVALID_PARAMETER);
  Answer answer = {};
  if (!g_line.ask(frame, buffer, buffer, answer)) return complete(irp, kHostIsGone);
  if (answer.status == kDone) note_program(*client, kind, cpu);
  return complete(irp, static_cast<NTSTATUS>(answer.status), answer.returned);
}

void remove_device(DEVICE_OBJECT* device) {
  auto* extension = static_cast<Extension*>(device->DeviceExtension);
  RtlFreeUnicodeString(&extension->interface_name);
  IoDetachDevice(extension->lower);
  IoDeleteDevice(device);
}

NTSTATUS on_pnp(DEVICE_OBJECT* device, IRP* irp) {
  auto* extension = static_cast<Extension*>(device->DeviceExtension);
  const UCHAR minor = IoGetCurrentIrpStackLocation(irp)->MinorFunction;
  switch (minor) {
    case IRP_MN_START_DEVICE:
      // The drivers below need no request, because this is a software device.
      irp->IoStatus.Status = IoSetDeviceInterfaceState(&extension->interface_name, TRUE);
      break;
    case IRP_MN_QUERY_REMOVE_DEVICE:
    case IRP_MN_QUERY_STOP_DEVICE:
    case IRP_MN_CANCEL_REMOVE_DEVICE:
    case IRP_MN_CANCEL_STOP_DEVICE:
      irp->IoStatus.Status = STATUS_SUCCESS;
      break;
    case IRP_MN_STOP_DEVICE:
    case IRP_MN_SURPRISE_REMOVAL:
    case IRP_MN_REMOVE_DEVICE:
      IoSetDeviceInterfaceState(&extension->interface_name, FALSE);
      irp->IoStatus.Status = STATUS_SUCCESS;
      break;
    default:
      break;
  }
  IoSkipCurrentIrpStackLocation(irp);
  const NTSTATUS status = IofCallDriver(extension->lower, irp);
  if (minor == IRP_MN_REMOVE_DEVICE) remove_device(device);
  return status;
}

NTSTATUS add_device(DRIVER_OBJECT* driver, DEVICE_OBJECT* physical_device) {
  static constexpr GUID kOurs = WPERF_INTERFACE_GUID, kArms = WINDOWSPERF_INTERFACE_GUID;
  DEVICE_OBJECT* device = nullptr;
  NTSTATUS status =
      IoCreateDevice(driver, sizeof(Extension), nullptr, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN, FALSE, &device);
  if (!NT_SUCCESS(status)) return status;
  auto* extension = static_cast<Extension*>(device->DeviceExtension);
  extension->lower = IoAttachDeviceToDeviceStack(device, physical_device);
  status = IoRegisterDeviceInterface(physical_device, setting(L"Arms", 0) == 1 ? &kArms : &kOurs, nullptr,
                                     &extension->interface_name);
  if (!NT_SUCCESS(status)) {
    IoDetachDevice(extension->lower);
    IoDeleteDevice(device);
    return status;
  }
  device->Flags = (device->Flags | DO_BUFFERED_IO) & ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

NTSTATUS create_service_device(DRIVER_OBJECT* driver) {
  UNICODE_STRING name, link;
  RtlInitUnicodeString(&name, WPERF_WIDE(WPERF_DEVICE_NAME));
  RtlInitUnicodeString(&link, WPERF_WIDE(WPERF_DEVICE_LINK));
  DEVICE_OBJECT* device = nullptr;
  NTSTATUS status =
      IoCreateDevice(driver, sizeof(Extension), &name, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN, FALSE, &device);
  if (!NT_SUCCESS(status)) return status;
  device->Flags = (device->Flags | DO_BUFFERED_IO) & ~DO_DEVICE_INITIALIZING;
  status = IoCreateSymbolicLink(&link, &name);
  if (!NT_SUCCESS(status)) IoDeleteDevice(device);
  return status;
}

void unload(DRIVER_OBJECT* driver) {
  if (driver->DeviceObject != nullptr) {  // for a plain service; PnP has already removed its devices
    UNICODE_STRING link;
    RtlInitUnicodeString(&link, WPERF_WIDE(WPERF_DEVICE_LINK));
    IoDeleteSymbolicLink(&link);
    IoDeleteDevice(driver->DeviceObject);
  }
  g_line.close();
}

}  // namespace
}  // namespace wperf::bridge

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  using namespace wperf::bridge;
  const ULONG port = setting(L"Port", kNoPort);
  if (port == kNoPort || port > 0xffff || !g_line.open(static_cast<wperf_u16>(port))) return kNobodyThere;
  driver->MajorFunction[IRP_MJ_CREATE] = on_create;
  driver->MajorFunction[IRP_MJ_CLEANUP] = on_cleanup;
  driver->MajorFunction[IRP_MJ_CLOSE] = on_close;
  driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = on_device_control;
  driver->DriverUnload = unload;
  const bool plug_and_play = registry_number(nullptr, registry_path, L"PnP", 0, L"Parameters") == 1;
  if (plug_and_play) {
    driver->MajorFunction[IRP_MJ_PNP] = on_pnp;
    driver->DriverExtension->AddDevice = add_device;
    return STATUS_SUCCESS;
  }
  const NTSTATUS status = create_service_device(driver);
  if (!NT_SUCCESS(status)) g_line.close();
  return status;
}
