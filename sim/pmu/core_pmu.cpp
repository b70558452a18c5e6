// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/core_pmu.h"

#include <algorithm>

namespace wperf::sim {
namespace {

using driver::Register;

constexpr u16 kChainEvent = 0x1e;  // on an odd counter: counts the overflows of the even one below it
constexpr u16 kCyclesEvent = 0x11;
constexpr u64 kTypeMask = 0xfc00ffffu;    // P, U, NSK, NSU, NSH, M and the 16-bit event
constexpr u64 kFilterMask = 0xfc000000u;  // the same without the event
constexpr u64 kLowWord = 0xffffffffu;

bool counts_at(u64 type, Level level) {
  return (type & (level == Level::user ? kFilterUser : kFilterKernel)) == 0;
}

// The register's index within a bank of `kMaxEventCounters`, or kMaxEventCounters if the register belongs to another
// bank.
u32 bank_index(Register reg, Register first) {
  const u32 offset = static_cast<u32>(reg) - static_cast<u32>(first);
  return offset < kMaxEventCounters ? offset : kMaxEventCounters;
}

}  // namespace

u64 id_aa64dfr0_of(const PmuConfig& config) {
  const u64 debug_version = config.version >= 5 ? 9 : 8;  // Armv8.4 and Armv8.2 debug
  const u64 breakpoints = 5, watchpoints = 3, context_breakpoints = 1;
  return debug_version | u64{config.version} << 8 | breakpoints << 12 | watchpoints << 20 | context_breakpoints << 28 |
         u64{config.spe_version} << 32;
}

u64 pmceid_of(u32 index, const PmuConfig& config) {
  const u32 first = index * 32;
  u64 bits = 0;
  for (u32 bit = 0; bit < 32; ++bit) {
    const auto common = static_cast<u16>(first + bit);
    const auto extended = static_cast<u16>(0x4000 + first + bit);
    if (common == kChainEvent || event_is_modelled(common)) bits |= u64{1} << bit;
    const bool of_profiling = extended >= 0x4000 && extended <= 0x4003;
    if (event_is_modelled(extended) && (!of_profiling || config.spe_version != 0)) bits |= u64{1} << (32 + bit);
  }
  return bits;
}

CorePmu::CorePmu(const PmuConfig& config) : config_(config), control_(kPmcrLongCycles) {
  if (config_.counters > kMaxEventCounters) config_.counters = kMaxEventCounters;
  for (Counter& counter : counters_) counter.terms = find_event(0);
  cycles_.terms = find_event(kCyclesEvent);
}

u64 CorePmu::implemented_mask() const {
  return ((u64{1} << config_.counters) - 1) | u64{1} << kCycleCounterBit;
}

// Adds to an event counter and returns the number of its overflows.
u64 CorePmu::add(u32 index, u64 delta) {
  Counter& counter = counters_[index];
  const u64 before = counter.value;
  counter.value = before + delta;
  u64 overflows = 0;
  if (wide_events() && (control_ & kPmcrLongEvents) != 0) {
    overflows = counter.value < before ? 1 : 0;
  } else {
    // Bits 31:0 overflow, whether or not there are bits above them. The sum is split so that it cannot wrap 64 bits.
    overflows = (delta >> 32) + (((before & kLowWord) + (delta & kLowWord)) >> 32);
  }
  if (!wide_events()) counter.value &= kLowWord;
  if (overflows != 0) overflowed_ |= u64{1} << index;
  return overflows;
}

u64 CorePmu::value_now(const Counter& counter, const SignalCounts& now, Level level) const {
  return counter.terms != nullptr ? value_of(*counter.terms, now, level) : 0;
}

void CorePmu::synchronize(const SignalCounts& now) {
  const bool on = (control_ & kPmcrEnable) != 0;
  u64 overflows_below = 0;
  for (u32 index = 0; index < config_.counters; ++index) {
    Counter& counter = counters_[index];
    const auto event = static_cast<u16>(counter.type);
    const bool chained = event == kChainEvent && (index & 1u) != 0;
    u64 delta = chained ? overflows_below : 0;
    for (const Level level : {Level::user, Level::kernel}) {
      const u64 value = value_now(counter, now, level);
      u64& seen = counter.seen[static_cast<usize>(level)];
      if (!chained && counts_at(counter.type, level)) delta += value - seen;
      seen = value;
    }
    const bool counting = on && (enabled_ >> index & 1) != 0;
    overflows_below = counting ? add(index, delta) : 0;
  }
  synchronize_cycles(now);
}

void CorePmu::synchronize_cycles(const SignalCounts& now) {
  u64 delta = 0;
  for (const Level level : {Level::user, Level::kernel}) {
    const u64 value = value_now(cycles_, now, level);
    u64& seen = cycles_.seen[static_cast<usize>(level)];
    if (counts_at(cycles_.type, level)) delta += value - seen;
    seen = value;
  }
  if ((control_ & kPmcrEnable) == 0 || (enabled_ >> kCycleCounterBit & 1) == 0) return;
  const u64 before = cycles_.value;
  cycles_.value = before + delta;
  const bool wrapped = (control_ & kPmcrLongCycles) != 0
                           ? cycles_.value < before
                           : (delta >> 32) + (((before & kLowWord) + (delta & kLowWord)) >> 32) != 0;
  if (wrapped) overflowed_ |= u64{1} << kCycleCounterBit;
}

bool CorePmu::interrupt_pending(const SignalCounts& now) {
  synchronize(now);
  return (control_ & kPmcrEnable) != 0 && (overflowed_ & interrupts_ & implemented_mask()) != 0;
}

// The number of counts until the next overflow of a counter; the largest value stands for 2^64.
u64 CorePmu::until_overflow(u32 index) const {
  const bool cycles = index == kCycleCounterBit;
  const bool wide = cycles ? (control_ & kPmcrLongCycles) != 0 : wide_events() && (control_ & kPmcrLongEvents) != 0;
  const u64 value = cycles ? cycles_.value : counters_[index].value;
  if (!wide) return kLowWord + 1 - (value & kLowWord);
  return value == 0 ? ~u64{0} : 0 - value;
}

std::span<const EventWatch> CorePmu::watches(const SignalCounts& now) {
  synchronize(now);
  const u64 armed_counters = armed() ? enabled_ & interrupts_ : 0;
  usize count = 0;
  for (u32 index = 0; index < config_.counters; ++index) {
    if ((armed_counters >> index & 1) == 0) continue;
    u32 counted = index;
    u64 remaining = until_overflow(index);
    const bool chained = static_cast<u16>(counters_[index].type) == kChainEvent && (index & 1u) != 0;
    if (chained) {
      // This counter advances by one for each full round of the counter below it.
      counted = index - 1;
      if ((enabled_ >> counted & 1) == 0) continue;
      const u64 laps = std::min(remaining - 1, kLowWord - 1);
      remaining = (laps << 32) + until_overflow(counted);
    }
    const Counter& counter = counters_[counted];
    if (!counts_at(counter.type, Level::user)) continue;
    watches_[count++] = {static_cast<u16>(counter.type), remaining};
  }
  if ((armed_counters >> kCycleCounterBit & 1) != 0 && counts_at(cycles_.type, Level::user))
    watches_[count++] = {kCyclesEvent, until_overflow(kCycleCounterBit)};
  return {watches_.data(), count};
}

u64 CorePmu::read_counter(u32 index) const {
  return index < config_.counters ? counters_[index].value : 0;
}

void CorePmu::write_counter(u32 index, u64 value) {
  if (index < config_.counters) counters_[index].value = wide_events() ? value : value & kLowWord;
}

void CorePmu::write_type(u32 index, u64 value, const SignalCounts& now) {
  if (index >= config_.counters) return;
  Counter& counter = counters_[index];
  counter.type = value & kTypeMask;
  counter.terms = find_event(static_cast<u16>(counter.type));
  // Counts of the new event before now do not belong to this counter.
  for (const Level level : {Level::user, Level::kernel})
    counter.seen[static_cast<usize>(level)] = value_now(counter, now, level);
}

void CorePmu::write_control(u64 value) {
  u64 stored = kPmcrEnable | kPmcrLongCycles;
  if (wide_events()) stored |= kPmcrLongEvents;
  if ((value & kPmcrResetEvents) != 0)
    for (u32 index = 0; index < config_.counters; ++index) counters_[index].value = 0;
  if ((value & kPmcrResetCycles) != 0) cycles_.value = 0;
  control_ = value & stored;
}

u64 CorePmu::read(Register reg, const SignalCounts& now) {
  if (const u32 index = bank_index(reg, Register::event_counter_0); index < kMaxEventCounters) {
    synchronize(now);
    return read_counter(index);
  }
  if (const u32 index = bank_index(reg, Register::event_type_0); index < kMaxEventCounters)
    return index < config_.counters ? counters_[index].type : 0;
  switch (reg) {
    case Register::midr:
      return config_.midr;
    case Register::id_aa64dfr0:
      return id_aa64dfr0_of(config_);
    case Register::pmcr:
      return control_ | u64{config_.counters} << 11 | (config_.midr >> 4 & 0xff) << 16 |
             (config_.midr >> 24 & 0xff) << 24;
    case Register::pmceid0:
      return pmceid_of(0, config_);
    case Register::pmceid1:
      return pmceid_of(1, config_);
    case Register::pmcntenset:
    case Register::pmcntenclr:
      return enabled_;
    case Register::pmovsclr:
      synchronize(now);
      return overflowed_;
    case Register::pmintenset:
    case Register::pmintenclr:
      return interrupts_;
    case Register::pmccntr:
      synchronize(now);
      return cycles_.value;
    case Register::pmccfiltr:
      return cycles_.type;
    default:
      return 0;
  }
}

void CorePmu::write(Register reg, u64 value, const SignalCounts& now) {
  synchronize(now);
  if (const u32 index = bank_index(reg, Register::event_counter_0); index < kMaxEventCounters)
    return write_counter(index, value);
  if (const u32 index = bank_index(reg, Register::event_type_0); index < kMaxEventCounters)
    return write_type(index, value, now);
  const u64 chosen = value & implemented_mask();
  switch (reg) {
    case Register::pmcr:
      return write_control(value);
    case Register::pmcntenset:
      enabled_ |= chosen;
      return;
    case Register::pmcntenclr:
      enabled_ &= ~chosen;
      return;
    case Register::pmovsclr:
      overflowed_ &= ~chosen;
      return;
    case Register::pmintenset:
      interrupts_ |= chosen;
      return;
    case Register::pmintenclr:
      interrupts_ &= ~chosen;
      return;
    case Register::pmccntr:
      cycles_.value = value;
      return;
    case Register::pmccfiltr:
      cycles_.type = value & kFilterMask;
      return;
    default:
      return;
  }
}

}  // namespace wperf::sim
