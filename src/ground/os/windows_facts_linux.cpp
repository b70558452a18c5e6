// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/windows_facts.h"

namespace wperf::os {

std::optional<WindowsFacts> windows_facts() {
  return std::nullopt;
}

}  // namespace wperf::os
