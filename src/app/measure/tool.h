// SPDX-License-Identifier: BSD-3-Clause
// What the tool says of itself.
#pragma once
#include "model/answers/machine_report.h"

namespace wperf::measure {

answers::Component tool_component();
// What recordings say made them.
std::string tool_version();

}  // namespace wperf::measure
