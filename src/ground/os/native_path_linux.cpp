// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/native_path.h"

namespace wperf::os {

std::filesystem::path native_path(const std::string& utf8) {
  return {utf8};
}

}  // namespace wperf::os
