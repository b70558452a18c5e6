// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/unit.h"

#include "driver/core/pmu_registers.h"

namespace wperf::driver {
namespace {

constexpr u64 kTop32 = u64{1} << 32;
constexpr u32 kReadTries = 4;

// The number of counts from `last` to `now`. If a 32-bit counter passed its top and is above `last` again, it has
// wrapped once more than the subtraction shows.
u64 difference(u64 last, u64 now, u32 bits, bool overflowed) {
  if (bits == 64) {
    return now - last;
  }
  const u64 went = (now - last) & (kTop32 - 1);
  return went + (overflowed && now >= last ? kTop32 : 0);
}

// Reads the values of all counters, and the overflow flags that belong to exactly these values. A counter may pass its
// top between the two reads, so the reads are repeated until that does not happen. A counter takes seconds to reach its
// top, so the second try nearly always succeeds.
u32 read_values(CounterBank& bank, u32 used, u64 (&values)[kMaxCounters]) {
  u32 overflows = bank.take_overflows();
  for (u32 attempt = 0; attempt < kReadTries; ++attempt) {
    for (u32 i = 0; i < used; ++i) {
      values[i] = bank.read_counter(i);
    }
    const u32 late = bank.take_overflows();
    if (late == 0) {
      break;
    }
    overflows |= late;
  }
  return overflows;
}

// The counts of every counter and of the shared cycle counter since the last fold.
struct Counted {
  u64 by_counter[kMaxCounters];
  u64 shared_cycles;
  bool lost;  // the registers are not as they were set up, or a counter ran backwards: the other fields are invalid
};

bool is_set_up(const Unit& unit, const ClassPlan& plan, CounterBank& bank) {
  for (u32 i = 0; i < plan.counters(); ++i) {
    if (bank.setup_of(i) != unit.setup[i]) {
      return false;
    }
  }
  return true;
}

// Called as near to the counters' start and end as possible, because the work in between is in only one of the counts.
u64 take_shared_cycles(Unit& unit, CounterBank& bank) {
  if (unit.cycles_source != WPERF_CYCLES_SHARED) {
    return 0;
  }
  const u64 before = unit.last_shared_cycles;
  unit.last_shared_cycles = bank.read_shared_cycles();
  return unit.last_shared_cycles - before;
}

Counted take_counts(Unit& unit, const ClassPlan& plan, CounterBank& bank) {
  Counted counted = {};
  const u64 cycles_before = unit.last_shared_cycles;
  counted.shared_cycles = take_shared_cycles(unit, bank);
  counted.lost = unit.last_shared_cycles < cycles_before;
  u64 values[kMaxCounters];
  const u32 overflows = read_values(bank, plan.counters(), values);
  for (u32 i = 0; i < plan.counters(); ++i) {
    const bool overflowed = ((overflows >> i) & 1) != 0;
    const bool laps = bank.counter_bits() < 64 && overflowed;
    counted.lost = counted.lost || (values[i] < unit.last[i] && !laps);
    counted.by_counter[i] = difference(unit.last[i], values[i], bank.counter_bits(), overflowed);
    unit.last[i] = values[i];
  }
  return counted;
}

void add_counts(Unit& unit, const ClassPlan& plan, const Counted& counted, u64 now_ns) {
  const u64 passed_ns = now_ns - unit.folded_ns;
  const u32 used = plan.ring.used();
  const u64 cycles = plan.counts_cycles ? counted.by_counter[used] : counted.shared_cycles;
  for (u32 i = 0; i < used; ++i) {
    Accumulator& entry = unit.entries[plan.ring.entry_on(unit.first, i)];
    entry.value += counted.by_counter[i];
    entry.slot_value += counted.by_counter[i];
    entry.running_ns += passed_ns;
    entry.running_cycles += cycles;
  }
  unit.cycles += cycles;
  unit.enabled_ns += passed_ns;
  unit.folded_ns = now_ns;
}

// Returns the shared cycles since they were last taken; they do not belong to a slot.
u64 open_slot(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  for (u32 i = 0; i < plan.counters(); ++i) {
    const bool cycles = i == plan.ring.used();
    bank.set_event(i, cycles ? kCyclesEvent : plan.events[plan.ring.entry_on(unit.first, i)]);
    unit.last[i] = kFirstCount;
  }
  bank.run();
  const u64 passed_cycles = take_shared_cycles(unit, bank);
  unit.slot_start_ns = hal.time_ns();
  for (u32 i = 0; i < plan.counters(); ++i) {
    unit.setup[i] = bank.setup_of(i);
  }
  return passed_cycles;
}

bool slot_has_length(const Unit& unit) {
  return unit.folded_ns > unit.slot_start_ns;
}

void close_slot(Unit& unit, const ClassPlan& plan, bool full) {
  for (u32 i = 0; i < plan.ring.used(); ++i) {
    Accumulator& entry = unit.entries[plan.ring.entry_on(unit.first, i)];
    ++entry.slots;
    if (full) {
      ++entry.full_slots;
      entry.full_value += entry.slot_value;
      add_to(entry.squares, square(entry.slot_value));
    }
    entry.slot_value = 0;
  }
  ++unit.rounds;
  unit.first = plan.ring.next_first(unit.first);
  unit.slot_start_ns = unit.folded_ns;
}

// The open slot ends at its last fold, because the later counts are lost.
void lose_counts(Unit& unit, const ClassPlan& plan, u64 now_ns) {
  close_partial_slot(unit, plan);
  const u64 lost_ns = now_ns - unit.folded_ns;
  ++unit.losses;
  unit.lost_ns += lost_ns;
  unit.enabled_ns += lost_ns;
  unit.folded_ns = now_ns;
  unit.slot_start_ns = now_ns;
}

// Updates the counts. Returns false if they were lost; the bank is then prepared for another slot.
bool fold(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal, bool halting) {
  const bool set_up = is_set_up(unit, plan, bank);
  if (halting) {
    bank.halt();
  }
  const u64 now_ns = hal.time_ns();
  const Counted counted = take_counts(unit, plan, bank);
  if (set_up && !counted.lost) {
    add_counts(unit, plan, counted, now_ns);
    return true;
  }
  lose_counts(unit, plan, now_ns);
  bank.prepare();
  return false;
}

// While the counters are programmed they do not count. That time is part of the enabled time, but not of any event's
// running time.
void open_next_slot(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  unit.cycles += open_slot(unit, plan, bank, hal);
  unit.enabled_ns += unit.slot_start_ns - unit.folded_ns;
  unit.folded_ns = unit.slot_start_ns;
}

}  // namespace

void start_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  bank.claim();
  unit.claimed = true;
  unit.began_late = false;
  unit.cycles_source = plan.counts_cycles         ? WPERF_CYCLES_COUNTED
                       : bank.has_shared_cycles() ? WPERF_CYCLES_SHARED
                                                  : WPERF_CYCLES_NONE;
  open_slot(unit, plan, bank, hal);
  unit.folded_ns = unit.slot_start_ns;
}

void fold_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  if (!fold(unit, plan, bank, hal, false)) {
    open_next_slot(unit, plan, bank, hal);
    unit.began_late = true;
  }
}

void rotate_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  fold(unit, plan, bank, hal, true);
  if (slot_has_length(unit)) {
    close_slot(unit, plan, !unit.began_late);
  }
  open_next_slot(unit, plan, bank, hal);
  unit.began_late = false;
}

void stop_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  fold(unit, plan, bank, hal, true);
  close_partial_slot(unit, plan);
  abandon_unit(unit, bank);
}

void abandon_unit(Unit& unit, CounterBank& bank) {
  bank.give_back();
  unit.claimed = false;
}

void close_partial_slot(Unit& unit, const ClassPlan& plan) {
  if (slot_has_length(unit)) {
    close_slot(unit, plan, false);
  }
}

void describe_unit(const Unit& unit, const ClassPlan& plan, WperfCountReply& reply) {
  const u64 open_slot_count = slot_has_length(unit) ? 1 : 0;
  reply.event_class = static_cast<u32>(unit.event_class);
  reply.unit = unit.number;
  reply.entry_count = plan.ring.length;
  reply.multiplexed = plan.ring.multiplexed() ? 1 : 0;
  reply.rounds = unit.rounds + open_slot_count;
  reply.enabled_ns = unit.enabled_ns;
  reply.cycles = unit.cycles;
  reply.cycles_source = unit.cycles_source;
  reply.losses = unit.losses;
  reply.lost_ns = unit.lost_ns;
  for (u32 i = 0; i < plan.ring.length; ++i) {
    const Accumulator& entry = unit.entries[i];
    WperfCounterReading& reading = reply.entries[i];
    reading.value = entry.value;
    reading.slots = entry.slots;
    reading.running_ns = entry.running_ns;
    reading.running_cycles = entry.running_cycles;
    reading.full_slots = entry.full_slots;
    reading.full_value = entry.full_value;
    reading.squares_low = entry.squares.low;
    reading.squares_high = entry.squares.high;
  }
  for (u32 i = 0; i < plan.ring.used(); ++i) {
    reply.entries[plan.ring.entry_on(unit.first, i)].slots += open_slot_count;
  }
}

}  // namespace wperf::driver
