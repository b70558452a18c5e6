// SPDX-License-Identifier: BSD-3-Clause
// Requests that programs send to the device: open, control, close. The file object's context is the client.
#include "driver/nt/control_device.h"
#include "driver/nt/request_scope.h"

namespace wperf::driver {
namespace {

Client* client_of(const IO_STACK_LOCATION& stack) {
  return stack.FileObject == nullptr ? nullptr : static_cast<Client*>(stack.FileObject->FsContext);
}

}  // namespace

NTSTATUS complete(IRP* irp, NTSTATUS status, u32 information) {
  irp->IoStatus.Status = status;
  irp->IoStatus.Information = information;
  IoCompleteRequest(irp, IO_NO_INCREMENT);
  return status;
}

NTSTATUS handle_create(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  const IO_STACK_LOCATION& stack = *IoGetCurrentIrpStackLocation(irp);
  const IO_SECURITY_CONTEXT* context = stack.Parameters.Create.SecurityContext;
  if (stack.FileObject == nullptr || context == nullptr || context->AccessState == nullptr) {
    return complete(irp, STATUS_INVALID_PARAMETER);
  }
  // A kernel component that opens a file for a user requests a check of that user's rights (OBJ_FORCE_ACCESS_CHECK).
  const bool forced = (stack.Flags & SL_FORCE_ACCESS_CHECK) != 0;
  const KPROCESSOR_MODE mode = forced ? KPROCESSOR_MODE{UserMode} : irp->RequestorMode;
  Client* client = nullptr;
  const NTSTATUS status = extension_of(device).service->open(*context, mode, &client);
  stack.FileObject->FsContext = client;
  return complete(irp, status);
}

// Called when the last handle is closed, also for a program that died; requests on other threads may still be under
// way.
NTSTATUS handle_cleanup(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  if (Client* client = client_of(*IoGetCurrentIrpStackLocation(irp)); client != nullptr) {
    extension_of(device).service->leave(*client);
  }
  return complete(irp, STATUS_SUCCESS);
}

// All requests of this file have ended. A cleanup may never have come (Wine).
NTSTATUS handle_close(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  IO_STACK_LOCATION& stack = *IoGetCurrentIrpStackLocation(irp);
  if (Client* client = client_of(stack); client != nullptr) {
    stack.FileObject->FsContext = nullptr;
    extension_of(device).service->close(client);
  }
  return complete(irp, STATUS_SUCCESS);
}

// METHOD_BUFFERED: the system's buffer is as long as the longer of input and output. The system copies back as many
// bytes as Information says, so it is the length of the answer.
NTSTATUS handle_control(DEVICE_OBJECT* device, IRP* irp) {
  const RequestScope scope(device, irp);
  if (!NT_SUCCESS(scope.status())) {
    return complete(irp, scope.status());
  }
  const IO_STACK_LOCATION& stack = *IoGetCurrentIrpStackLocation(irp);
  Client* client = client_of(stack);
  if (client == nullptr) {
    return complete(irp, STATUS_INVALID_DEVICE_REQUEST);
  }
  const auto& control = stack.Parameters.DeviceIoControl;
  u32 returned = 0;
  const NTSTATUS status =
      extension_of(device).service->control(*client, control.IoControlCode, irp->AssociatedIrp.SystemBuffer,
                                            control.InputBufferLength, control.OutputBufferLength, &returned);
  return complete(irp, status, returned);
}

}  // namespace wperf::driver
