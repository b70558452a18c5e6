// SPDX-License-Identifier: BSD-3-Clause
// The four kinds of counters, numbered as on the wire.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"

namespace wperf {
enum class EventClass : u8 {
  core = WPERF_CLASS_CORE,
  dsu = WPERF_CLASS_DSU,
  dmc_clk = WPERF_CLASS_DMC_CLK,
  dmc_clkdiv2 = WPERF_CLASS_DMC_CLKDIV2,
};
inline constexpr usize kEventClassCount = WPERF_CLASS_COUNT;
inline constexpr EventClass kEventClasses[kEventClassCount] = {EventClass::core, EventClass::dsu, EventClass::dmc_clk,
                                                               EventClass::dmc_clkdiv2};
// The names for users, as in "/dsu/l3d_cache" and "dmc_clk".
inline constexpr const char* kEventClassNames[kEventClassCount] = {"core", "dsu", "dmc_clk", "dmc_clkdiv2"};
constexpr usize index_of(EventClass event_class) {
  return static_cast<usize>(event_class);
}
constexpr const char* class_name(EventClass event_class) {
  return kEventClassNames[index_of(event_class)];
}
}  // namespace wperf
