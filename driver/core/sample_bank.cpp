// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/sample_bank.h"

#include "base/bits.h"
#include "driver/core/pmu_switch.h"

namespace wperf::driver {
void silence_counters(Hal& hal, u64 counter_mask) {
  hal.write_register(Register::pmintenclr, counter_mask);
  hal.write_register(Register::pmcntenclr, counter_mask);
  hal.synchronize();
}

void SampleBank::claim() {
  found_.pmcr = hal_.read_register(Register::pmcr);
  found_.enabled = hal_.read_register(Register::pmcntenset);
  found_.interrupts_enabled = hal_.read_register(Register::pmintenset);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    found_.event_types[i] = hal_.read_register(event_type(plan_.counters[i]));
  }
  // PMCR.LP determines whether 64-bit counters overflow at 32 bits. It applies to other users' counters too, so it is
  // not changed. A counter that begins just below the top of 64 bits passes both limits at once.
  found_.counter_bits = has_long_counters(hal_.read_register(Register::id_aa64dfr0)) ? 64 : 32;
  prepare();
}

void SampleBank::prepare() {
  silence();
  hal_.write_register(Register::pmovsclr, plan_.counter_mask);
  set_pmu_switch(hal_, true);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    hal_.write_register(event_type(plan_.counters[i]), filter() | plan_.events[i]);
    found_.types_set[i] = hal_.read_register(event_type(plan_.counters[i]));
  }
  hal_.synchronize();
}

void SampleBank::give_back() {
  hal_.write_register(Register::pmovsclr, plan_.counter_mask);
  for (u32 i = 0; i < plan_.event_count; ++i) {
    hal_.write_register(event_type(plan_.counters[i]), found_.event_types[i]);
  }
  give_back_pmu_switch(hal_, found_.pmcr, found_.enabled, plan_.counter_mask);
  hal_.write_register(Register::pmcntenset, found_.enabled & plan_.counter_mask);
  hal_.write_register(Register::pmintenset, found_.interrupts_enabled & plan_.counter_mask);
  hal_.synchronize();
}

void SampleBank::run() {
  hal_.synchronize();  // event types and values are written first
  hal_.write_register(Register::pmintenset, plan_.counter_mask);
  hal_.write_register(Register::pmcntenset, plan_.counter_mask);
  hal_.synchronize();
}

bool SampleBank::counts_for(u32 events) {
  bool good = true;
  for (u32 i = 0; i < plan_.event_count; ++i) {
    const bool asked = ((events >> i) & 1) != 0;
    good = good && (!asked || hal_.read_register(event_type(plan_.counters[i])) == found_.types_set[i]);
  }
  return good;
}

bool SampleBank::is_set_up() {
  const u64 enabled = hal_.read_register(Register::pmcntenset) & hal_.read_register(Register::pmintenset);
  return (hal_.read_register(Register::pmcr) & kPmcrEnable) != 0 && (~enabled & plan_.counter_mask) == 0 &&
         counts_for(~u32{0});
}

u64 SampleBank::read(u32 event) {
  return wrap(hal_.read_register(counter_of(event)));
}

void SampleBank::set_before_overflow(u32 event, u64 by) {
  hal_.write_register(counter_of(event), wrap(0 - by));
}

u32 SampleBank::pause_overflowed() {
  const u64 interrupting = hal_.read_register(Register::pmintenset) & plan_.counter_mask;
  const u64 flags = hal_.read_register(Register::pmovsclr) & interrupting;
  if (flags == 0) {
    return 0;
  }
  hal_.write_register(Register::pmcntenclr, flags);
  hal_.synchronize();
  u32 events = 0;
  for (u32 i = 0; i < plan_.event_count; ++i) {
    events |= static_cast<u32>(bit_field(flags, plan_.counters[i], 1)) << i;
  }
  return events;
}

void SampleBank::resume(u32 events) {
  u64 counters = 0;
  for (u32 i = 0; i < plan_.event_count; ++i) {
    counters |= bit_field(events, i, 1) << plan_.counters[i];
  }
  hal_.write_register(Register::pmovsclr, counters);
  hal_.synchronize();
  hal_.write_register(Register::pmcntenset, counters);
  hal_.synchronize();
}

}  // namespace wperf::driver
