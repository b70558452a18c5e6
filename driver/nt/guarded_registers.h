// SPDX-License-Identifier: BSD-3-Clause
// Whether these registers may be accessed on the core that runs this code. Identification registers and model numbers
// do not answer that: a hypervisor may report the unit and still make accesses to its registers undefined instructions,
// which crash Windows. So the first read of each unit's registers is a guarded one. IRQL <= DISPATCH_LEVEL, on the core
// in question.
#pragma once
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

bool registers_answer(const Register* registers, u32 count);

template <u32 count>
bool registers_answer(const Register (&registers)[count]) {
  return registers_answer(registers, count);
}

}  // namespace wperf::driver
