// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/stat_counts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ground/diag/names_all_test.h"

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

// The document of a count that has only these events of memory channels.
std::string of_channels(std::string_view rows, std::string_view more = {}) {
  return R"({"core":{"cores":[]},"dmc":{"pmu":{"PMU_Performance_Counters":[)" + std::string(rows) + "]}}" +
         std::string(more) + R"(,"Time_elapsed":1})";
}
std::string channel_row(std::string_view channel, std::string_view event, int value) {
  return R"({"pmu_id":")" + std::string(channel) + R"(","counter_value":)" + std::to_string(value) +
         R"(,"event_name":")" + std::string(event) + R"(","event_note":"e"})";
}

TEST(StatCounts, OfMemoryChannelsAreAddedUpWithoutTheRowOfTheirSum) {
  const auto counts = counts_in(of_channels(channel_row("dmc 0", "rdwr", 5) + "," + channel_row("dmc 1", "rdwr", 6) +
                                            "," + channel_row("overall", "rdwr", 11)));
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 1u);
  EXPECT_EQ(counts->counts[0].event, "/dmc_clkdiv2/rdwr");
  EXPECT_EQ(counts->counts[0].value, 11);
}

TEST(StatCounts, OfMemoryChannelsHaveTheClassIfTheDocumentTellsIt) {
  const auto names_of = [](std::initializer_list<std::string_view> events) {
    std::string rows, names;
    for (const std::string_view event : events) rows += (rows.empty() ? "" : ",") + channel_row("dmc 0", event, 1);
    const StatCounts counts = counts_in(of_channels(rows)).value();
    for (const auto& count : counts.counts) names += count.event + " ";
    return names;
  };
  EXPECT_EQ(names_of({"cycle_count", "upload_stall"}), "/dmc_clk/cycle_count /dmc_clk/upload_stall ");
  EXPECT_EQ(names_of({"rdwr", "cycle_count"}), "/dmc_clkdiv2/rdwr /dmc_clkdiv2/cycle_count ");
  EXPECT_EQ(names_of({"cycle_count", "cycle_count"}), "/dmc_clk/cycle_count /dmc_clkdiv2/cycle_count ");
  EXPECT_EQ(names_of({"request", "cycle_count", "rdwr"}), "/dmc_clk/request /dmc/cycle_count /dmc_clkdiv2/rdwr ");
}

TEST(StatCounts, OfMemoryChannelsThatTookTurnsAreScaled) {
  const auto counts = counts_in(of_channels(
      channel_row("dmc 0", "rdwr", 5) + "," + channel_row("dmc 0", "refresh", 0),
      R"(,"Multiplexing_estimates":[{"class":"dmc_clkdiv2","unit":0,"event_name":"rdwr","event_note":"e","fraction":0.5},
      {"class":"dmc_clkdiv2","unit":0,"event_name":"refresh","event_note":"e","fraction":0,"not_counted":true}])"));
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 1u);
  EXPECT_EQ(counts->counts[0].value, 10);
  EXPECT_EQ(counts->uncounted, std::vector<std::string>{"/dmc_clkdiv2/refresh"});
}

TEST(StatCounts, WhatHadNoTurnIsNoZero) {
  const auto counts = counts_in(R"({"core":{"cores":[
      {"core_number":0,"Performance_counter":[{"counter_value":0,"event_name":"a","multiplexed":"0/3","scaled_value":0},
        {"counter_value":0,"event_name":"b","multiplexed":"1/3","scaled_value":0},
        {"counter_value":0,"event_name":"c","multiplexed":"0/3","scaled_value":0},
        {"counter_value":7,"event_name":"c","multiplexed":"1/3","scaled_value":21}]},
      {"core_number":1,"Performance_counter":[{"counter_value":0,"event_name":"c","multiplexed":"0/3"}]}]},
     "Time_elapsed":1})");
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 2u);
  EXPECT_EQ(counts->counts[0].event, "b");
  EXPECT_EQ(counts->counts[0].value, 0);
  EXPECT_EQ(counts->counts[1].value, 21);
  ASSERT_EQ(counts->losses.size(), 2u);
  EXPECT_TRUE(diag::names_all(counts->losses[0], {"a was never"}));
  EXPECT_TRUE(diag::names_all(counts->losses[1], {"c ", "1 of 2 counts", "too small"}));
}

TEST(StatCounts, EstimatesTellWhatHadATurnOfLessThanAMillisecond) {
  const auto counts = counts_in(R"({"core":{"cores":[{"core_number":2,"Performance_counter":[
      {"counter_value":0,"event_name":"a","event_note":"e","multiplexed":"0/1","scaled_value":0},
      {"counter_value":0,"event_name":"b","event_note":"e","multiplexed":"0/1","scaled_value":0}]}]},
     "Multiplexing_estimates":[{"class":"core","unit":2,"event_name":"a","event_note":"e","fraction":0.1},
      {"class":"core","unit":2,"event_name":"b","event_note":"e","fraction":0,"not_counted":true}],"Time_elapsed":1})");
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 1u);
  EXPECT_EQ(counts->counts[0].event, "a");
  EXPECT_EQ(counts->losses.size(), 1u);
}

TEST(StatCounts, OfATimelineAreAddedUp) {
  const auto one = [](int value, std::string_view time) {
    return R"({"core":{"cores":[{"core_number":0,"Performance_counter":[{"counter_value":)" + std::to_string(value) +
           R"(,"event_name":"cycle"}]}]})" + std::string(time) + "}";
  };
  const std::string begin = R"({"count_duration":1.0,"count_interval":0.1,"count_timeline":2,"timeline":[)";
  const auto counts = counts_in(begin + one(3, R"(,"Time_elapsed":1)") + "," + one(4, R"(,"Time_elapsed":2)") + "]}");
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->counts.size(), 1u);
  EXPECT_EQ(counts->counts[0].value, 7);
  EXPECT_EQ(counts->seconds, 3);
  EXPECT_TRUE(counts->is_whole);
  EXPECT_TRUE(diag::names_all(counts->losses.at(0), {"2 counts of a timeline", "added up"}));
  EXPECT_FALSE(counts_in(begin + one(3, R"(,"Time_elapsed":1)") + "," + one(4, "") + "]}")->is_whole);
  EXPECT_FALSE(counts_in(begin + "{}]}").has_value());
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
