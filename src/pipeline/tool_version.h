// SPDX-License-Identifier: BSD-3-Clause
// What recordings say made them.
#pragma once
#include <string>

#include "wperf_version.h"

namespace wperf::pipeline {

inline std::string tool_version() {
  return std::string("wperf ") + kVersion;
}

}  // namespace wperf::pipeline
