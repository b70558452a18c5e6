// SPDX-License-Identifier: BSD-3-Clause
// Which devices this machine has, found without opening one. Asked where nobody named a device: by measure, which
// chooses, and by the selftest, which tries all.
#pragma once

namespace wperf::device {

struct DevicesHere {
  bool driver = false;       // ours is installed
  bool windowsperf = false;  // Arm's driver is installed, in a version that we speak
  bool tracing = false;      // Windows
  bool linux_kernel = false;
};
DevicesHere devices_here();

}  // namespace wperf::device
