// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/unit.h"

namespace wperf::driver {
namespace {

constexpr u64 kTop32 = u64{1} << 32;
constexpr u32 kReadTries = 4;

// How far a counter went from `last` to `now`. A 32-bit counter that passed its top and is beyond `last` again went
// round once more than the subtraction shows.
u64 difference(u64 last, u64 now, u32 bits, bool overflowed) {
  if (bits == 64) {
    return now - last;
  }
  const u64 went = (now - last) & (kTop32 - 1);
  return went + (overflowed && now >= last ? kTop32 : 0);
}

// Values of all counters, and the overflows before exactly these values: a counter may pass its top between the two
// reads, so read again until none did. That takes seconds of counting, so the second try nearly always ends it.
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

u64 take_cycles(Unit& unit, CounterBank& bank) {
  const u64 cycles = bank.read_cycles();
  const u64 passed = cycles - unit.last_cycles;
  unit.cycles += passed;
  unit.last_cycles = cycles;
  return passed;
}

void fold(Unit& unit, const ClassPlan& plan, CounterBank& bank, u64 now_ns) {
  u64 values[kMaxCounters];
  const u32 used = plan.ring.used();
  const u32 overflows = read_values(bank, used, values);
  const u64 passed_ns = now_ns - unit.folded_ns;
  const u64 passed_cycles = take_cycles(unit, bank);
  for (u32 i = 0; i < used; ++i) {
    Accumulator& entry = unit.entries[plan.ring.entry_on(unit.first, i)];
    const u64 counted = difference(unit.last[i], values[i], bank.counter_bits(), ((overflows >> i) & 1) != 0);
    unit.last[i] = values[i];
    entry.value += counted;
    entry.slot_value += counted;
    entry.running_ns += passed_ns;
    entry.running_cycles += passed_cycles;
  }
  unit.enabled_ns += passed_ns;
  unit.folded_ns = now_ns;
}

void open_slot(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  for (u32 i = 0; i < plan.ring.used(); ++i) {
    bank.set_event(i, plan.events[plan.ring.entry_on(unit.first, i)]);
    unit.last[i] = 0;
  }
  bank.run();
  unit.slot_start_ns = hal.time_ns();
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

}  // namespace

void start_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  bank.claim();
  unit.claimed = true;
  open_slot(unit, plan, bank, hal);
  unit.folded_ns = unit.slot_start_ns;
  unit.last_cycles = bank.read_cycles();
}

void fold_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  fold(unit, plan, bank, hal.time_ns());
}

void rotate_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  bank.halt();
  fold(unit, plan, bank, hal.time_ns());
  if (slot_has_length(unit)) {
    close_slot(unit, plan, true);
  }
  open_slot(unit, plan, bank, hal);
  // Programming takes time in which nothing of ours counted: it is enabled, but nobody's running time.
  unit.enabled_ns += unit.slot_start_ns - unit.folded_ns;
  unit.folded_ns = unit.slot_start_ns;
  take_cycles(unit, bank);
}

void stop_unit(Unit& unit, const ClassPlan& plan, CounterBank& bank, Hal& hal) {
  bank.halt();
  fold(unit, plan, bank, hal.time_ns());
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
