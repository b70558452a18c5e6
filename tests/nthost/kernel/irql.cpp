// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/irql.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/cpu.h"
#include "tests/nthost/machine/gic.h"

namespace wperf::nthost {

u32 current_irql() {
  return this_cpu().irql;
}

void set_irql(u32 to) {
  const u64 interrupts = mask_interrupts();
  this_cpu().irql = to;
  set_priority_mask(to);
  restore_interrupts(interrupts);
}

u32 raise_irql(u32 to) {
  const u32 before = current_irql();
  if (to < before) give_up("the host raises the IRQL from {} to {}", before, to);
  set_irql(to);
  return before;
}

void lower_irql(u32 to) {
  if (to > current_irql()) give_up("the host lowers the IRQL from {} to {}", current_irql(), to);
  set_irql(to);
}

const char* name_of_level(u32 irql) {
  switch (irql) {
    case kPassive:
      return "PASSIVE_LEVEL";
    case kApc:
      return "APC_LEVEL";
    case kDispatch:
      return "DISPATCH_LEVEL";
    case kClock:
      return "CLOCK_LEVEL";
    case kProfile:
      return "PROFILE_LEVEL";
    default:
      return "a device's level";
  }
}

void allow_up_to(u32 most, const char* function) {
  if (current_irql() <= most) return;
  fail("{} called at {}; it is allowed up to {}", function, name_of_level(current_irql()), name_of_level(most));
}

void allow_only(u32 level, const char* function) {
  if (current_irql() == level) return;
  fail("{} called at {}; it is allowed at {} only", function, name_of_level(current_irql()), name_of_level(level));
}

}  // namespace wperf::nthost
