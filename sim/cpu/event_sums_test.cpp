// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/cpu/signals.h"

namespace wperf::sim {
namespace {

SignalCounts numbered() {
  SignalCounts counts;
  for (usize signal = 0; signal < kSignalCount; ++signal) {
    counts.at[0][signal] = u64{1} << (signal % 50);
    counts.at[1][signal] = 7;
  }
  return counts;
}

TEST(Events, AreSumsOfSignalsPerLevel) {
  const SignalCounts counts = numbered();
  const auto user = [&](Signal signal) { return counts(Level::user, signal); };
  EXPECT_EQ(event_value(counts, Level::user, 0x08), user(Signal::inst_retired));
  EXPECT_EQ(event_value(counts, Level::user, 0x11), user(Signal::cycles));
  EXPECT_EQ(event_value(counts, Level::user, 0x03),
            user(Signal::l1d_cache_refill_rd) + user(Signal::l1d_cache_refill_wr));
  EXPECT_EQ(event_value(counts, Level::user, 0x13),
            event_value(counts, Level::user, 0x66) + event_value(counts, Level::user, 0x67));
  EXPECT_EQ(event_value(counts, Level::kernel, 0x04), 14U);
  SignalCounts branches;
  branches(Level::user, Signal::br_retired) = 10;
  branches(Level::user, Signal::br_taken_retired) = 4;
  EXPECT_EQ(event_value(branches, Level::user, 0x8107), 6U) << "not taken";
}

TEST(Events, UnmodelledEventsCountZero) {
  const SignalCounts counts = numbered();
  constexpr u16 kCodes[] = {0x00, 0x1a, 0x1e, 0x45, 0x8b, 0x4004, 0x8006, 0xffff};
  for (const u16 code : kCodes) {
    EXPECT_FALSE(event_is_modelled(code)) << code;
    EXPECT_EQ(event_value(counts, Level::user, code), 0U) << code;
  }
}

// The codes of a Neoverse N1's events that the simulator does not model: software increments, context and translation
// writes, memory errors, chaining, remote access, refills by source, clean and invalidating write-backs, exceptions
// that are never taken.
TEST(Events, CoverAllOfANeoverseN1ButTheKnownGaps) {
  const std::filesystem::path file = std::filesystem::path(WPERF_SOURCE_DIR) / "../shared/facts/cpus/neoverse-n1.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no facts here";
  const std::set<u16> gaps = {0x00, 0x0b, 0x1a, 0x1c, 0x1e, 0x31, 0x44, 0x45, 0x47, 0x48, 0x57,
                              0x58, 0x81, 0x83, 0x87, 0x88, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string facts = text.str();
  usize at = facts.find("\"events\"");
  const usize end = facts.find('}', at);
  usize seen = 0;
  while ((at = facts.find("\"0x", at)) < end) {
    const auto code = static_cast<u16>(std::stoul(facts.substr(at + 1, 6), nullptr, 16));
    EXPECT_EQ(event_is_modelled(code), !gaps.contains(code)) << std::hex << code;
    ++seen;
    ++at;
  }
  EXPECT_GT(seen, 90U);
}

}  // namespace
}  // namespace wperf::sim
