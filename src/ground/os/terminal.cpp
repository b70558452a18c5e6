// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/terminal.h"

#include "ground/os/process.h"

namespace wperf::os {

std::string pager_command() {
  for (const char* name : {"WPERF_PAGER", "PAGER"}) {
    const auto wanted = environment(name);
    if (wanted.has_value()) return *wanted == "cat" ? std::string() : *wanted;
  }
  return has_less() ? "less" : "";
}

}  // namespace wperf::os
