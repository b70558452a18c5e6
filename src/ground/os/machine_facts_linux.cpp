// SPDX-License-Identifier: BSD-3-Clause
#include <sys/utsname.h>

#include "ground/os/machine_facts.h"

namespace wperf::os {

std::optional<WindowsFacts> windows_facts() {
  return std::nullopt;
}

std::string host_name() {
  utsname system{};
  return uname(&system) == 0 ? std::string(system.nodename) : std::string();
}

}  // namespace wperf::os
