// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/counter_registers.h"

#include "driver/nt/guarded_registers.h"

namespace wperf::driver {
namespace {

// The registers that are read before counting starts, and the clock of all measurements. The counters are not in this
// list, because PMCR_EL0.N gives their number.
constexpr Register kFirstRead[] = {Register::pmcr,       Register::pmceid0,  Register::pmceid1, Register::pmcntenset,
                                   Register::pmintenset, Register::pmovsclr, Register::pmccntr};

}  // namespace

bool counter_registers_answer() {
  return registers_answer(kFirstRead);
}

}  // namespace wperf::driver
