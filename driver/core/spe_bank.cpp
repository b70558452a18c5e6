// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/spe_bank.h"

#include "driver/core/spe_registers.h"

namespace wperf::driver {

bool SpeBank::in_use() {
  return (hal_.read_register(Register::pmscr) & kPmscrProfiles) != 0 ||
         (hal_.read_register(Register::pmblimitr) & kPmblimitrEnable) != 0;
}

u64 SpeBank::filterable_events() {
  const u64 found = hal_.read_register(Register::pmsevfr);
  hal_.write_register(Register::pmsevfr, ~u64{0});
  hal_.synchronize();
  const u64 kept = hal_.read_register(Register::pmsevfr);
  hal_.write_register(Register::pmsevfr, found);
  hal_.synchronize();
  return kept;
}

void SpeBank::claim(SpeRegisters& found) const {
  found.pmscr = hal_.read_register(Register::pmscr);
  found.pmsicr = hal_.read_register(Register::pmsicr);
  found.pmsirr = hal_.read_register(Register::pmsirr);
  found.pmsfcr = hal_.read_register(Register::pmsfcr);
  found.pmsevfr = hal_.read_register(Register::pmsevfr);
  found.pmsnevfr = filters_absent_events_ ? hal_.read_register(Register::pmsnevfr) : 0;
  found.pmslatfr = hal_.read_register(Register::pmslatfr);
  found.pmblimitr = hal_.read_register(Register::pmblimitr);
  found.pmbptr = hal_.read_register(Register::pmbptr);
  found.pmbsr = hal_.read_register(Register::pmbsr);
}

// Neither the buffer nor profiling was on when the unit was claimed; otherwise claiming would have failed.
void SpeBank::give_back(const SpeRegisters& found) {
  hal_.write_register(Register::pmbptr, found.pmbptr);
  hal_.write_register(Register::pmblimitr, found.pmblimitr);
  hal_.write_register(Register::pmbsr, found.pmbsr);
  hal_.write_register(Register::pmsfcr, found.pmsfcr);
  hal_.write_register(Register::pmsevfr, found.pmsevfr);
  if (filters_absent_events_) {
    hal_.write_register(Register::pmsnevfr, found.pmsnevfr);
  }
  hal_.write_register(Register::pmslatfr, found.pmslatfr);
  hal_.write_register(Register::pmsirr, found.pmsirr);
  hal_.write_register(Register::pmsicr, found.pmsicr);
  hal_.write_register(Register::pmscr, found.pmscr);
  hal_.synchronize();
}

void SpeBank::set_up(const SpePlan& plan) {
  hal_.write_register(Register::pmsfcr, plan.pmsfcr);
  hal_.write_register(Register::pmsevfr, plan.pmsevfr);
  if (filters_absent_events_) {
    hal_.write_register(Register::pmsnevfr, plan.pmsnevfr);
  }
  hal_.write_register(Register::pmslatfr, plan.pmslatfr);
  hal_.write_register(Register::pmsirr, plan.pmsirr);
  hal_.synchronize();
  hal_.write_register(Register::pmsicr, 0);  // the first operation loads the interval
}

bool SpeBank::is_set_up(const SpePlan& plan) {
  return hal_.read_register(Register::pmsirr) == plan.pmsirr && hal_.read_register(Register::pmsfcr) == plan.pmsfcr;
}

void SpeBank::run(const SpePlan& plan, const SpeMemory& memory) {
  hal_.write_register(Register::pmbptr, memory.begin);
  hal_.write_register(Register::pmbsr, 0);
  hal_.write_register(Register::pmblimitr, memory.end | kPmblimitrEnable);
  hal_.synchronize();  // before the first operation is chosen
  hal_.write_register(Register::pmscr, plan.pmscr);
  hal_.synchronize();
}

SpeStop SpeBank::stop() {
  hal_.write_register(Register::pmscr, 0);
  hal_.synchronize();
  hal_.drain_profiling();
  hal_.synchronize();  // so that the hardware's writes to PMBPTR and PMBSR are visible
  SpeStop stopped;
  stopped.pmblimitr = hal_.read_register(Register::pmblimitr);
  stopped.written_to = hal_.read_register(Register::pmbptr);
  stopped.pmbsr = hal_.read_register(Register::pmbsr);
  hal_.write_register(Register::pmblimitr, 0);
  hal_.write_register(Register::pmbsr, 0);
  hal_.synchronize();
  return stopped;
}

u64 SpeBank::silence() {
  const u64 pmbsr = hal_.read_register(Register::pmbsr);
  hal_.write_register(Register::pmscr, 0);
  hal_.synchronize();
  hal_.drain_profiling();
  hal_.write_register(Register::pmbsr, 0);
  hal_.synchronize();
  return pmbsr;
}

u64 SpeBank::status() {
  return hal_.read_register(Register::pmbsr);
}

u64 SpeBank::written_to() {
  return hal_.read_register(Register::pmbptr);
}

}  // namespace wperf::driver
