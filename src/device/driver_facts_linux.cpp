// SPDX-License-Identifier: BSD-3-Clause
#include "device/driver_facts.h"

namespace wperf::device {

std::optional<DriverFacts> driver_facts() {
  return std::nullopt;
}

}  // namespace wperf::device
