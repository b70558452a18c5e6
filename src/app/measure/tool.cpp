// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/tool.h"

#include "ground/os/counter_events.h"
#include "wperf_version.h"

namespace wperf::measure {

answers::Component tool_component() {
  return {.name = "wperf",
          .version = kVersion,
          .git = kGitVersion,
          .features = std::string(os::counter_events_feature()) + "+spe"};
}

std::string tool_version() {
  return std::string("wperf ") + kVersion;
}

}  // namespace wperf::measure
