// SPDX-License-Identifier: BSD-3-Clause
// The slots in which an event was counted are a sample of all slots of the run, drawn without replacement. With S of R
// slots measured, mean m and sample variance s², the total is estimated as R·m with variance R²·(1 - S/R)·s²/S
// (Cochran, Sampling Techniques, 2.5), and the interval takes Student's t with S-1 degrees of freedom.
//
// Slots are chosen in turn, not at random. So an event may always be on a counter in the same phase of periodic work,
// for example a timer tick. Then its slots do not show the other phases. The cycle counter is always on and shows all
// phases. So there are up to two estimates of the total: by time, which is the scaled value, and by cycles, which takes
// account of time that other work took from the program. The interval includes both.
//
// Contract 4.2 scales by slots, which gives the same result if all slots are equally long. The last slot may be
// shorter, because counting stops within it; its time shows by how much.
#include "machine/counts/scaled_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wperf::counts {

Wide multiply(u64 a, u64 b) {
  constexpr u64 kHalf = 0xffffffffu;
  const u64 low = (a & kHalf) * (b & kHalf);
  const u64 middle_a = (a >> 32) * (b & kHalf) + (low >> 32);
  const u64 middle_b = (a & kHalf) * (b >> 32) + (middle_a & kHalf);
  return {.low = (middle_b << 32) | (low & kHalf), .high = (a >> 32) * (b >> 32) + (middle_a >> 32) + (middle_b >> 32)};
}

WideQuotient divide(Wide dividend, u64 divisor) {
  WideQuotient result;
  result.quotient.high = dividend.high / divisor;
  u64 remainder = dividend.high % divisor;
  // One bit of the low word at a time. `carry` is bit 64 of the shifted remainder; the subtraction is correct modulo
  // 2^64.
  for (int bit = 63; bit >= 0; --bit) {
    const bool carry = (remainder >> 63) != 0;
    remainder = (remainder << 1) | ((dividend.low >> bit) & 1u);
    if (carry || remainder >= divisor) {
      remainder -= divisor;
      result.quotient.low |= u64{1} << bit;
    }
  }
  result.remainder = remainder;
  return result;
}

bool less(Wide a, Wide b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

Wide subtract(Wide a, Wide b) {
  return {.low = a.low - b.low, .high = a.high - b.high - (a.low < b.low ? 1u : 0u)};
}

double to_double(Wide value) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return static_cast<double>(value.high) * kTwoTo64 + static_cast<double>(value.low);
}

u64 saturate(Wide value) {
  return value.high != 0 ? ~u64{0} : value.low;
}

namespace {

// Two-sided, 95 %. Beyond the table, the expansion in 1/df (Abramowitz and Stegun 26.7.5) is correct to three digits.
double student_t(u64 degrees_of_freedom) {
  static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                      2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom <= std::size(kTable)) return kTable[degrees_of_freedom - 1];
  const double n = static_cast<double>(degrees_of_freedom);
  return 1.959964 + 2.372272 / n + 2.822501 / (n * n);
}

struct Spread {
  bool known = false;
  double variance = 0;  // s² of the count in one slot
};

Spread spread_of(const readings::CounterReading& reading) {
  if (reading.full_slots < 2) return {};
  const Wide squares{.low = reading.squares_low, .high = reading.squares_high};
  const WideQuotient mean_share = divide(multiply(reading.full_value, reading.full_value), reading.full_slots);
  if (less(squares, mean_share.quotient)) return {};  // no squares have a lower sum, so the driver's sums are damaged
  const double fraction = static_cast<double>(mean_share.remainder) / static_cast<double>(reading.full_slots);
  const double deviation = to_double(subtract(squares, mean_share.quotient)) - fraction;
  return {.known = true, .variance = std::max(deviation, 0.0) / static_cast<double>(reading.full_slots - 1)};
}

// Rounds outward to the next integer, or to the next double if doubles are further apart.
double round_down(double value) {
  return std::nextafter(std::floor(value), -std::numeric_limits<double>::infinity());
}
double round_up(double value) {
  return std::nextafter(std::ceil(value), std::numeric_limits<double>::infinity());
}
bool is_exact(double value) {
  return value < 9007199254740992.0;  // 2^53
}

void set_exact(Count& count) {
  count.scaled = count.value;
  count.fraction = 1;
  count.low = count.high = static_cast<double>(count.value);
  count.has_interval = true;
}

// The range of the estimates of one total.
struct Estimates {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;

  // Adds the estimate value * whole / part.
  void add(u64 value, u64 whole, u64 part) {
    if (part == 0 || whole == 0) return;
    const WideQuotient total = divide(multiply(value, whole), part);
    const double floor = static_cast<double>(saturate(total.quotient));
    least = std::min(least, floor);
    greatest = std::max(greatest, floor + (total.remainder == 0 ? 0.0 : 1.0));
  }
};

void set_interval(Count& count, const readings::UnitCounts& unit, const readings::CounterReading& reading) {
  const Spread spread = spread_of(reading);
  if (!spread.known) return;
  Estimates estimates;
  estimates.add(reading.value, unit.enabled_ns, reading.running_ns);
  estimates.add(reading.value, unit.cycles, reading.running_cycles);
  const double slots = static_cast<double>(reading.full_slots);
  const double rounds = static_cast<double>(unit.rounds);
  const double unseen = std::max(rounds - slots, 0.0);
  const double sampling = student_t(reading.full_slots - 1) * std::sqrt(rounds * unseen * spread.variance / slots);
  // Counts are integers. Even at a steady rate two slots may differ by one, so each unseen slot may have one more or
  // less.
  const double low = estimates.least - sampling - unseen;
  const double high = estimates.greatest + sampling + unseen;
  // The counted events certainly happened, so the total is not less than their number.
  count.low = std::max(is_exact(high) ? std::floor(low) : round_down(low), static_cast<double>(count.value));
  count.high = std::max(is_exact(high) ? std::ceil(high) : round_up(high), count.low);
  count.has_interval = true;
}

Count decode_count(const readings::UnitCounts& unit, const readings::CounterReading& reading) {
  Count count{.value = reading.value, .slots = reading.slots, .rounds = unit.rounds};
  if (!unit.multiplexed) {
    set_exact(count);
    return count;
  }
  const u64 running_ns = reading.running_ns;
  const u64 enabled_ns = reading.enabled_ns != 0 ? reading.enabled_ns : unit.enabled_ns;
  if (running_ns == 0) {
    count.fraction = 0;
    return count;
  }
  if (running_ns >= enabled_ns) {
    set_exact(count);
    return count;
  }
  count.scaled = saturate(divide(multiply(reading.value, enabled_ns), running_ns).quotient);
  count.fraction = static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
  count.low = count.high = static_cast<double>(count.scaled);
  set_interval(count, unit, reading);
  return count;
}

Count decode_cycles(const readings::UnitCounts& unit) {
  const readings::CounterReading cycles{.value = unit.cycles,
                                        .slots = unit.rounds,
                                        .running_ns = unit.cycles_running_ns,
                                        .enabled_ns = unit.cycles_enabled_ns};
  if (unit.cycles_enabled_ns != 0) return decode_count(unit, cycles);
  Count count{.value = unit.cycles, .slots = unit.rounds, .rounds = unit.rounds};
  set_exact(count);
  return count;
}

}  // namespace

std::vector<Unit> decode_counts(const readings::CountCapture& capture) {
  std::vector<Unit> units;
  units.reserve(capture.units.size());
  for (const readings::UnitCounts& source : capture.units) {
    Unit unit{.event_class = source.event_class,
              .unit = source.unit,
              .multiplexed = source.multiplexed,
              .rounds = source.rounds,
              .cycles = decode_cycles(source),
              .counts = {}};
    unit.counts.reserve(source.entries.size());
    for (const readings::CounterReading& reading : source.entries) {
      unit.counts.push_back(decode_count(source, reading));
    }
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace wperf::counts
