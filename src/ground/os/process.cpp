// SPDX-License-Identifier: BSD-3-Clause
// The half of process.h that every system shares.
#include "ground/os/process.h"

#include <ctime>

namespace wperf::os {

std::string local_time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
#ifdef _WIN32
  localtime_s(&local, &now);
#else
  localtime_r(&now, &local);
#endif
  char text[32];
  const size_t length = std::strftime(text, sizeof text, "%Y_%m_%d_%H_%M_%S", &local);
  return {text, length};
}

}  // namespace wperf::os
