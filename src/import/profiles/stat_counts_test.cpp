// SPDX-License-Identifier: BSD-3-Clause
#include "import/profiles/stat_counts.h"

#include <gtest/gtest.h>

#include <string_view>

namespace wperf::profiles {
namespace {

std::optional<StatCounts> counts_in(std::string_view text) {
  return read_stat_counts(std::as_bytes(std::span(text.data(), text.size())));
}

constexpr std::string_view kDocument =
    R"({"core":{"Multiplexing":true,"cores":[
      {"core_number":0,"Performance_counter":[{"counter_value":10,"event_name":"cycle","scaled_value":10},
        {"counter_value":5,"event_name":"inst_retired","scaled_value":20},
        {"counter_value":6,"event_name":"inst_retired","scaled_value":21}]},
      {"core_number":1,"Performance_counter":[{"counter_value":7,"event_name":"inst_retired"}]}],
      "overall":{"Systemwide_Overall_Performance_Counters":[{"counter_value":11,"event_name":"inst_retired"}]}},
     "dsu":{"0":{"Performance_counter":[{"counter_value":3,"event_name":"l3d_cache"}]},"overall":{}},
     "Time_elapsed":1.5})";

TEST(StatCounts, AreSumsOverCores) {
  const auto counts = counts_in(kDocument);
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 3u);
  EXPECT_EQ(counts->counts[0].event, "cycle");
  EXPECT_EQ(counts->counts[1].event, "inst_retired");
  EXPECT_EQ(counts->counts[1].value, 27);
  EXPECT_EQ(counts->counts[2].event, "/dsu/l3d_cache");
  EXPECT_EQ(counts->seconds, 1.5);
  EXPECT_TRUE(counts->is_whole);
}

TEST(StatCounts, OtherDocumentsAreNone) {
  EXPECT_FALSE(counts_in("").has_value());
  EXPECT_FALSE(counts_in("[]").has_value());
  EXPECT_FALSE(counts_in(R"({"core":{}})").has_value());
  EXPECT_FALSE(counts_in(R"({"nodes":[1,2]})").has_value());
}

TEST(StatCounts, OfADocumentThatEndsTooEarlySaysSo) {
  for (usize length = kDocument.find("cores"); length < kDocument.size(); length += 7) {
    const auto counts = counts_in(kDocument.substr(0, length));
    if (counts.has_value()) {
      EXPECT_FALSE(counts->is_whole) << length;
    }
  }
}

}  // namespace
}  // namespace wperf::profiles
