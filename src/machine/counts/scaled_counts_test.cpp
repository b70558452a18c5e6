// SPDX-License-Identifier: BSD-3-Clause
#include "machine/counts/scaled_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace wperf::counts {
namespace {

constexpr u64 kSlotNs = 100'000'000;

readings::CounterReading reading_of(const std::vector<u64>& slots) {
  readings::CounterReading reading{.running_ns = slots.size() * kSlotNs};
  for (const u64 count : slots) {
    reading.value += count;
    Wide squares{.low = reading.squares_low, .high = reading.squares_high};
    add_to(squares, square(count));
    reading.squares_low = squares.low;
    reading.squares_high = squares.high;
    reading.slots++;
    reading.full_slots++;
    reading.full_value += count;
  }
  return reading;
}

Count decode_one(const readings::CounterReading& reading, u64 rounds, bool multiplexed = true) {
  readings::CountCapture capture;
  capture.units.push_back(
      {.multiplexed = multiplexed, .rounds = rounds, .enabled_ns = rounds * kSlotNs, .entries = {reading}});
  return decode_counts(capture).at(0).counts.at(0);
}

bool equal(Wide a, Wide b) {
  return a.low == b.low && a.high == b.high;
}

TEST(wide, products_and_quotients_are_exact) {
  EXPECT_TRUE(equal(multiply(~u64{0}, ~u64{0}), {.low = 1, .high = ~u64{0} - 1}));
  EXPECT_TRUE(equal(multiply(0x1234'5678'9abc'def0u, 0x0fed'cba9'8765'4321u),
                    {.low = 0x2236'd88f'e561'8cf0u, .high = 0x0121'fa00'ad77'd742u}));
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const u64 a = random() >> (random() % 64), b = random() >> (random() % 64);
    const u64 divisor = (random() >> (random() % 64)) | 1u;
    const WideQuotient result = divide(multiply(a, b), divisor);
    ASSERT_LT(result.remainder, divisor);
    // quotient * divisor + remainder, modulo 2^128
    Wide back = multiply(result.quotient.low, divisor);
    back.high += result.quotient.high * divisor;
    back.low += result.remainder;
    back.high += back.low < result.remainder ? 1u : 0u;
    ASSERT_TRUE(equal(back, multiply(a, b)));
  }
}

TEST(decode_counts, scaled_is_the_integer_part) {
  EXPECT_EQ(decode_one({.value = 10, .slots = 3, .running_ns = 3 * kSlotNs}, 10).scaled, 33u);
  EXPECT_EQ(decode_one({.value = 9, .slots = 9, .running_ns = 9 * kSlotNs}, 10).scaled, 10u);
  EXPECT_DOUBLE_EQ(decode_one({.value = 9, .slots = 9, .running_ns = 9 * kSlotNs}, 10).fraction, 0.9);
}

TEST(decode_counts, scaling_does_not_overflow) {
  EXPECT_EQ(decode_one({.value = u64{1} << 62, .running_ns = 1000 * kSlotNs}, 3000).scaled, 3 * (u64{1} << 62));
  EXPECT_EQ(decode_one({.value = ~u64{0}, .running_ns = kSlotNs}, 3).scaled, ~u64{0});
}

TEST(decode_counts, never_scheduled_is_zero_without_an_interval) {
  const Count count = decode_one({.value = 0, .slots = 0}, 10);
  EXPECT_EQ(count.scaled, 0u);
  EXPECT_EQ(count.fraction, 0);
  EXPECT_FALSE(count.has_interval);
  EXPECT_FALSE(std::isnan(count.low) || std::isnan(count.high));
}

TEST(decode_counts, all_slots_seen_is_exact) {
  const Count count = decode_one(reading_of({5, 500, 50}), 3);
  EXPECT_EQ(count.scaled, 555u);
  EXPECT_EQ(count.low, 555);
  EXPECT_EQ(count.high, 555);
  EXPECT_TRUE(count.has_interval);
}

TEST(decode_counts, without_multiplexing_slots_do_not_matter) {
  const Count count = decode_one({.value = 77}, 0, false);
  EXPECT_EQ(count.scaled, 77u);
  EXPECT_EQ(count.fraction, 1);
  EXPECT_EQ(count.low, 77);
  EXPECT_EQ(count.high, 77);
}

TEST(decode_counts, times_scale_where_there_are_no_slots) {
  readings::CountCapture capture;
  capture.units.push_back({.multiplexed = true,
                           .enabled_ns = 4'000'000'000,
                           .entries = {{.value = 300, .running_ns = 3'000'000'000}, {.value = 5, .running_ns = 0}}});
  const std::vector<Count> counts = decode_counts(capture).at(0).counts;
  EXPECT_EQ(counts[0].scaled, 400u);
  EXPECT_DOUBLE_EQ(counts[0].fraction, 0.75);
  EXPECT_FALSE(counts[0].has_interval);
  EXPECT_EQ(counts[1].scaled, 0u);
}

TEST(decode_counts, one_slot_gives_no_interval) {
  const Count count = decode_one(reading_of({40}), 4);
  EXPECT_EQ(count.scaled, 160u);
  EXPECT_FALSE(count.has_interval);
  EXPECT_EQ(count.low, 160);
}

TEST(decode_counts, interval_matches_the_textbook) {
  // m = 110, s² = 100, S = 5, R = 20: half the interval = 2.776 * sqrt(20² * (1 - 5/20) * 100 / 5) = 215.03, plus 15
  // for unseen slots.
  const Count count = decode_one(reading_of({100, 105, 110, 110, 125}), 20);
  EXPECT_EQ(count.scaled, 2200u);
  const double s2 = (100 + 25 + 0 + 0 + 225) / 4.0;
  const double half = 2.776 * std::sqrt(400 * 0.75 * s2 / 5) + 15;
  EXPECT_EQ(count.low, std::floor(2200 - half));
  EXPECT_EQ(count.high, std::ceil(2200 + half));
  EXPECT_TRUE(count.has_interval);
}

TEST(decode_counts, interval_never_goes_below_what_was_counted) {
  const Count count = decode_one(reading_of({0, 0, 900}), 6);
  EXPECT_EQ(count.low, 900);
}

TEST(decode_counts, damaged_sum_of_squares_gives_no_interval) {
  readings::CounterReading reading = reading_of({1000, 1000, 1000});
  reading.squares_low -= 1;
  EXPECT_FALSE(decode_one(reading, 8).has_interval);
}

// A run of 4.25 slots of 100 ms. The first entry was on a counter in slots 0 and 2 and in the quarter, the second one
// in slots 1 and 3.
readings::UnitCounts run_that_ends_within_a_slot(u64 per_slot) {
  readings::CounterReading at_the_end = reading_of({per_slot, per_slot});
  at_the_end.value += per_slot / 4;
  at_the_end.slots++;
  at_the_end.running_ns = 225'000'000;
  readings::CounterReading whole = reading_of({per_slot, per_slot});
  whole.running_ns = 200'000'000;
  return {.multiplexed = true, .rounds = 5, .enabled_ns = 425'000'000, .entries = {at_the_end, whole}};
}

TEST(decode_counts, a_last_slot_that_was_cut_short_is_no_whole_one) {
  readings::CountCapture capture;
  capture.units.push_back(run_that_ends_within_a_slot(4000));
  const std::vector<Unit> units = decode_counts(capture);
  for (const Count& count : units.at(0).counts) {
    EXPECT_EQ(count.scaled, 17000u) << "four slots and a quarter";
    ASSERT_TRUE(count.has_interval);
    EXPECT_LE(count.low, 17000);
    EXPECT_GE(count.high, 17000);
    EXPECT_LT(count.high - count.low, 17000 * 0.02) << "and not by as much as a slot";
  }
}

// 12 events on 6 counters for 0.11, 0.15, 0.25 s: half of them are on a counter only in the last slot, or in a part of
// it.
TEST(decode_counts, a_short_run_scales_by_time) {
  for (const u64 run_ns : {110'000'000u, 150'000'000u, 250'000'000u}) {
    const u64 first_ns = run_ns < 2 * kSlotNs ? kSlotNs : run_ns - kSlotNs;
    readings::CountCapture capture;
    readings::UnitCounts& unit = capture.units.emplace_back();
    unit = {.multiplexed = true, .rounds = (run_ns + kSlotNs - 1) / kSlotNs, .enabled_ns = run_ns, .entries = {}};
    unit.entries.push_back({.value = first_ns / 100, .slots = unit.rounds - 1, .running_ns = first_ns});
    unit.entries.push_back({.value = (run_ns - first_ns) / 100, .slots = 1, .running_ns = run_ns - first_ns});
    const std::vector<Unit> units = decode_counts(capture);
    for (const Count& count : units.at(0).counts) {
      EXPECT_EQ(count.scaled, run_ns / 100) << run_ns;
    }
  }
}

// In every second slot, other work takes half of the program's time. An event that is counted only in the other slots
// does not show this, but the cycle counter does.
TEST(decode_counts, cycles_show_what_slots_in_lockstep_miss) {
  readings::CounterReading lucky = reading_of(std::vector<u64>(50, 1000));
  lucky.running_ns = 5'000'000'000;
  lucky.running_cycles = 50 * 2000;
  readings::CountCapture capture;
  capture.units.push_back({.multiplexed = true,
                           .rounds = 100,
                           .enabled_ns = 10'000'000'000,
                           .cycles = 50 * 2000 + 50 * 1000,
                           .entries = {lucky}});
  const Count count = decode_counts(capture).at(0).counts.at(0);
  EXPECT_EQ(count.scaled, 100'000u);
  EXPECT_LE(count.low, 75'000);
  EXPECT_GE(count.high, 100'000);
}

TEST(decode_counts, huge_counts_keep_their_variance) {
  // The squares need more than 64 bits and differ only in the lowest digits.
  const u64 base = u64{1} << 40;
  const Count count = decode_one(reading_of({base - 1000, base, base + 1000, base}), 8);
  const double half = 3.182 * std::sqrt(64 * 0.5 * (2e6 / 3) / 4) + 4;
  EXPECT_EQ(count.scaled, base * 8);
  EXPECT_EQ(count.low, std::floor(static_cast<double>(base * 8) - half));
  EXPECT_EQ(count.high, std::ceil(static_cast<double>(base * 8) + half));
}

TEST(decode_counts, steady_event_is_always_covered) {
  for (const double rate : {0.0, 0.3, 1.0, 7.5, 1000.4, 123456.789}) {
    for (u64 step = 2; step <= 5; ++step) {
      constexpr u64 kRounds = 40;
      std::vector<u64> seen;
      u64 truth = 0;
      for (u64 slot = 0; slot < kRounds; ++slot) {
        const double before = std::floor(rate * static_cast<double>(slot));
        const u64 count = static_cast<u64>(std::floor(rate * static_cast<double>(slot + 1)) - before);
        truth += count;
        if (slot % step == 0) seen.push_back(count);
      }
      const Count count = decode_one(reading_of(seen), kRounds);
      EXPECT_TRUE(count.has_interval);
      EXPECT_LE(count.low, static_cast<double>(truth)) << rate << " every " << step;
      EXPECT_GE(count.high, static_cast<double>(truth)) << rate << " every " << step;
    }
  }
}

// The purpose of the interval: it contains the true value in about 95 of 100 runs.
TEST(decode_counts, interval_covers_noisy_events_as_promised) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> noise(100000, 15000);
  int covered = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<u64> seen;
    u64 truth = 0;
    for (int slot = 0; slot < 30; ++slot) {
      const u64 count = static_cast<u64>(std::max(0.0, noise(random)));
      truth += count;
      if (slot % 3 == 0) seen.push_back(count);
    }
    const Count count = decode_one(reading_of(seen), 30);
    if (count.low <= static_cast<double>(truth) && static_cast<double>(truth) <= count.high) ++covered;
  }
  EXPECT_NEAR(covered / static_cast<double>(kRuns), 0.95, 0.012);
}

TEST(decode_counts, cycles_are_always_on) {
  readings::CountCapture capture;
  capture.units.push_back({.unit = 3, .multiplexed = true, .rounds = 9, .cycles = 1000, .entries = {}});
  const Unit unit = decode_counts(capture).at(0);
  EXPECT_EQ(unit.unit, 3u);
  EXPECT_EQ(unit.cycles.scaled, 1000u);
  EXPECT_EQ(unit.cycles.slots, 9u);
  EXPECT_EQ(unit.cycles.rounds, 9u);
}

TEST(DecodeCounts, EachEventByItsOwnTimeWhereTheKernelTakesTurns) {
  readings::CountCapture capture;
  readings::UnitCounts& unit = capture.units.emplace_back();
  unit.multiplexed = true;
  unit.enabled_ns = 1000;
  unit.entries.push_back({.value = 100, .running_ns = 500, .enabled_ns = 1000});
  unit.entries.push_back({.value = 100, .running_ns = 300, .enabled_ns = 900});  // a thread that was added later
  unit.entries.push_back({.value = 100, .running_ns = 900, .enabled_ns = 900});
  unit.entries.push_back({.value = 0, .running_ns = 0, .enabled_ns = 900});
  const std::vector<Unit> units = decode_counts(capture);
  ASSERT_EQ(units.at(0).counts.size(), 4u);
  EXPECT_EQ(units[0].counts[0].scaled, 200u);
  EXPECT_EQ(units[0].counts[1].scaled, 300u);
  EXPECT_EQ(units[0].counts[2].scaled, 100u);
  EXPECT_EQ(units[0].counts[2].fraction, 1.0);
  EXPECT_EQ(units[0].counts[3].fraction, 0.0);
}

}  // namespace
}  // namespace wperf::counts
