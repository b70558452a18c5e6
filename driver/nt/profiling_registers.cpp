// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/profiling_registers.h"

#include "driver/nt/guarded_registers.h"

namespace wperf::driver {
namespace {

// One register of each group that is trapped together: identification, control, buffer.
constexpr Register kOneOfEach[] = {Register::pmsidr, Register::pmscr, Register::pmblimitr};

}  // namespace

bool profiling_registers_answer() {
  return registers_answer(kOneOfEach);
}

}  // namespace wperf::driver
