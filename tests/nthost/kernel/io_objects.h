// SPDX-License-Identifier: BSD-3-Clause
// The I/O manager's side of devices and requests: data of the NT functions of io_devices.cpp and io_requests.cpp, and
// the call with which driver_under_test.cpp sends a request down a stack.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"

namespace wperf::nthost {

extern DRIVER_OBJECT driver_object;  // the driver under test
DEVICE_OBJECT* make_bus_device();    // a PDO of the host's own bus driver; null when there are too many
void drop_bus_device(DEVICE_OBJECT* device);
DEVICE_OBJECT* top_of_stack(DEVICE_OBJECT* device);
DEVICE_OBJECT* find_device_by_link();  // through \DosDevices\WPERFDRV; null when the link does not exist
DEVICE_OBJECT* device_of_interface();  // the PDO whose interface is enabled; may be null
bool has_interface();                  // registered, enabled or not
bool is_device(const DEVICE_OBJECT* device);
u64 requests_seen_by_bus();  // number of PnP and power requests so far

struct Request {
  u8 major = 0, minor = 0;
  FILE_OBJECT* file = nullptr;
  NTSTATUS initial_status = STATUS_SUCCESS;
  KPROCESSOR_MODE mode = UserMode;
  void* system_buffer = nullptr;
  IO_STACK_LOCATION parameters = {};  // only Parameters and Flags are taken
};
struct Completed {
  NTSTATUS status;
  u64 information;
};
// Builds the IRP, calls the driver at PASSIVE_LEVEL and waits until the request is completed. Checked: completed
// exactly once; the dispatch routine returned the IRP's status, or STATUS_PENDING for one it marked pending; the level,
// the interrupt mask and the critical regions are as before; the IRP is not written after its completion.
Completed send_request(DEVICE_OBJECT* device, const Request& request);

}  // namespace wperf::nthost
