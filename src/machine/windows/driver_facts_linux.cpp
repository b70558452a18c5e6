// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/driver_facts.h"

namespace wperf::windows {

std::optional<DriverFacts> driver_facts() {
  return std::nullopt;
}

std::vector<OtherDriver> other_drivers() {
  return {};
}

}  // namespace wperf::windows
