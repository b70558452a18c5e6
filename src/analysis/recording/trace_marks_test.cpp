// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_marks.h"

#include <gtest/gtest.h>

namespace wperf::recording {
namespace {

TEST(TraceSpans, BothEndsHaveOneName) {
  for (const auto& [start, stop, name] : {std::array<std::string_view, 3>{"Work/Start", "Work/Stop", "Work"},
                                          {"WorkStart", "WorkStop", "Work"},
                                          {"Work_Start", "Work_Stop", "Work"},
                                          {"Work/win:Start", "Work/win:Stop", "Work"},
                                          {"Work", "Work", "Work"},
                                          {"Start", "Start", "Start"},
                                          {"Restart", "Restart", "Restart"},
                                          {"", "", ""}}) {
    EXPECT_EQ(span_name(start, false), name);
    EXPECT_EQ(span_name(stop, true), name);
  }
  EXPECT_EQ(span_name("ProcessStop/win:Start", false), "ProcessStop");
  EXPECT_EQ(span_name("WorkStop", false), "WorkStop");
}

TEST(TraceSpans, RowsCountEachSampleOnceAndEachSpanWhole) {
  TraceSpans spans{.kinds = {{"P", "short"}, {"P", "long"}}, .paired = {}};
  spans.paired.spans = {{0, 7, 10, 20}, {1, 7, 12, 18}, {1, 7, 10, 110}, {1, 8, 0, 50}};
  spans.paired.unclosed = {3, 0};
  spans.paired.unopened = {0, 4};
  const std::vector<RunningSample> samples{
      {.sample = 0, .thread = 7, .weight = 5, .time = 9},  {.sample = 1, .thread = 7, .weight = 5, .time = 10},
      {.sample = 2, .thread = 7, .weight = 6, .time = 15}, {.sample = 3, .thread = 8, .weight = 7, .time = 49},
      {.sample = 4, .thread = 8, .weight = 7, .time = 50}, {.sample = 5, .thread = 9, .weight = 7, .time = 15}};
  const std::vector<stacks::SpanRow> rows = span_rows(spans, samples);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "long");
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_EQ(rows[0].threads, 2u);
  EXPECT_EQ(rows[0].total_ns, 6u + 100 + 50);
  EXPECT_EQ(rows[0].shortest_ns, 6u);
  EXPECT_EQ(rows[0].median_ns, 50u);
  EXPECT_EQ(rows[0].longest_ns, 100u);
  EXPECT_EQ(rows[0].samples, 3u);
  EXPECT_EQ(rows[0].sampled, 5u + 6 + 7);
  EXPECT_EQ(rows[0].unopened, 4u);
  EXPECT_EQ(rows[1].samples, 2u);
  EXPECT_EQ(rows[1].unclosed, 3u);
}

}  // namespace
}  // namespace wperf::recording
