// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/counter_pages.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace wperf::html {
namespace {

answers::CountProfile one_count(u32 cores, bool multiplexed) {
  answers::CountProfile count;
  answers::ClassCounts& counts = count.classes[index_of(EventClass::core)];
  counts.multiplexed = multiplexed;
  for (u32 core = 0; core < cores; ++core) {
    answers::CountRow cycles{.name = "cycle", .code = {}, .note = {}, .value = 700, .scaled = 700};
    answers::CountRow loads{.name = "ld_spec", .code = u16{0x70}, .note = {}, .value = 1234, .scaled = 5678};
    counts.units.push_back({.number = core, .cores = {}, .rows = {cycles, loads}});
    count.metrics.push_back({.core = core, .product = {}, .metric = "ipc", .unit = "per cycle", .value = 1.5});
  }
  return count;
}

answers::TimelineProfile three_counts(const answers::CountProfile& one) {
  return {.duration_seconds = 1,
          .interval_seconds = 0.5,
          .counts = {one, one, one},
          .spans = {{0, 1'000'000'000}, {1'500'000'000, 2'500'000'000}, {3'000'000'000, 4'000'000'000}}};
}

usize times_in(const std::string& text, std::string_view what) {
  usize count = 0;
  for (usize at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(CountPage, HasEachCountAsPlainText) {
  const std::string page = count_page(three_counts(one_count(1, false)), {});
  EXPECT_EQ(times_in(page, "<caption>Counted by core 0</caption>"), 1u);
  EXPECT_EQ(times_in(page, "<td>1,234</td>"), 3u);
  EXPECT_NE(page.find("<td>1.500</td><td>1.000</td><td>700</td>"), std::string::npos) << "when, for how long, what";
  EXPECT_EQ(page.find("scaled</th>"), std::string::npos);
  EXPECT_EQ(times_in(page, "<td>1.500</td></tr>"), 3u) << "the metric";
}

TEST(CountPage, WhatWasScaledStandsBesideWhatWasCounted) {
  const std::string page = count_page(three_counts(one_count(2, true)), {});
  EXPECT_EQ(times_in(page, "<caption>Counted by core "), 2u);
  EXPECT_EQ(times_in(page, "<caption>Metrics of core "), 2u);
  EXPECT_EQ(times_in(page, "<td>1,234</td><td>5,678</td>"), 6u);
}

TEST(CountPage, NotCountedIsNotZero) {
  answers::CountProfile one = one_count(1, false);
  answers::CountUnit& core = one.classes[index_of(EventClass::core)].units[0];
  core.rows[1].fraction = 0;
  core.cycle_row = answers::CycleRow::uncounted;
  const std::string page = count_page(three_counts(one), {});
  EXPECT_EQ(times_in(page, "<td>-</td><td>-</td></tr>"), 3u);
}

TEST(CountPage, OfNoCountsSaysSo) {
  EXPECT_NE(count_page({}, {}).find("Nothing was counted"), std::string::npos);
}

TEST(CountPage, NamesCommandHostAndVersion) {
  stacks::RecordingAbout about;
  about.command = "wperf stat -t -- work.exe";
  about.host = "box";
  about.version = "wperf 9.9";
  about.begun_unix_ns = u64{1'000'000'000} * 1'000'000'000;
  answers::CountProfile one = one_count(1, false);
  one.core_count = 1;
  std::string page = count_page(three_counts(one), about);
  EXPECT_NE(page.find("<title>1 core: counts over time - wperf</title>"), std::string::npos);
  about.image = "work<b>.exe";
  page = count_page(three_counts(one), about);
  EXPECT_NE(page.find("<title>work&lt;b&gt;.exe: counts over time - wperf</title>"), std::string::npos);
  for (const char* row : {"Command</th><td>wperf stat -t -- work.exe<", "Host</th><td>box<",
                          "Date</th><td>2001-09-09 01:46:40 UTC<", "Counted by</th><td>wperf 9.9<"}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(CountPage, NamesStayText) {
  answers::TimelineProfile timeline = three_counts(one_count(1, false));
  timeline.counts[0].remarks = {"</script><script>alert(1)</script>"};
  const std::string page = count_page(timeline, {});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
}

}  // namespace
}  // namespace wperf::html
