// SPDX-License-Identifier: BSD-3-Clause
// The interrupt request level of each core, stored in the interrupt controller's priority mask as on Windows for ARM64,
// and the check of the caller's level in every NT function. Levels have the values of wdm.h for ARM64.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

enum Irql : u32 {
  kPassive = 0,
  kApc = 1,
  kDispatch = 2,
  kClock = 13,
  kProfile = 15,
  kHigh = 15,
};

u32 current_irql();
u32 raise_irql(u32 to);   // returns the previous level; gives up if `to` is lower
void lower_irql(u32 to);  // gives up if `to` is higher
void set_irql(u32 to);    // raises or lowers, for interrupt entry and exit

// A call above `most` fails the scenario, and the message names the function: the driver broke a documented rule.
void allow_up_to(u32 most, const char* function);
void allow_only(u32 level, const char* function);
const char* name_of_level(u32 irql);

}  // namespace wperf::nthost

#define WPERF_ALLOW_UP_TO(level) ::wperf::nthost::allow_up_to(level, __func__)
#define WPERF_ALLOW_ONLY(level) ::wperf::nthost::allow_only(level, __func__)
