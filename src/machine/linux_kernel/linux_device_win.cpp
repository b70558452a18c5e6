// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/linux_device.h"

namespace wperf::linux_kernel {

std::optional<LinuxFacts> linux_facts() {
  return std::nullopt;
}

bool mount_tracefs() {
  return false;
}

}  // namespace wperf::linux_kernel
