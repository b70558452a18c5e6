// SPDX-License-Identifier: BSD-3-Clause
// The tool's name and version.
#pragma once
#include "model/answers/tool_answers.h"

namespace wperf::measure {

answers::Component tool_component();
// wperf's name in recordings.
std::string tool_version();

}  // namespace wperf::measure
