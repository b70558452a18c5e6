// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/recording_view.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

TEST(SortList, KeepsTheOrderAndDropsRepetitions) {
  const auto list = parse_sort_list("symbol,comm,symbol,dso");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list.value(), (std::vector{SortBy::symbol, SortBy::comm, SortBy::module}));
}

TEST(SortList, KnowsTheKindOfCore) {
  const auto list = parse_sort_list("cputype,cpu");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list.value(), (std::vector{SortBy::core_kind, SortBy::core}));
  EXPECT_NE(parse_sort_list("kind").error().hint.find("cputype"), std::string::npos);
}

TEST(SortList, RefusesUnknownAndEmptyWords) {
  for (const char* text : {"", "comm,", "comm,weather", ",pid"}) {
    const auto list = parse_sort_list(text);
    ASSERT_FALSE(list.has_value()) << text;
    EXPECT_EQ(list.error().code, diag::ExitCode::usage);
  }
}

TEST(NameList, LeavesEmptyNamesOut) {
  EXPECT_EQ(parse_name_list("a,,b c"), (std::vector<std::string>{"a", "b c"}));
  EXPECT_TRUE(parse_name_list("").empty());
}

TEST(NumberList, TakesDecimalsOnly) {
  const auto list = parse_number_list("1,22,4294967295", "--pid");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list.value(), (std::vector<u32>{1, 22, 4294967295}));
  for (const char* text : {"", "1,", "x", "4294967296", "-1"}) {
    EXPECT_FALSE(parse_number_list(text, "--pid").has_value()) << text;
  }
}

TEST(TimeSpan, MayBeOpenOnEitherSide) {
  const auto both = parse_time_span("1.5-3");
  ASSERT_TRUE(both.has_value());
  EXPECT_DOUBLE_EQ(both.value().from.value(), 1.5);
  EXPECT_DOUBLE_EQ(both.value().to.value(), 3);
  const auto begin = parse_time_span("0.25-");
  ASSERT_TRUE(begin.has_value());
  EXPECT_FALSE(begin.value().to.has_value());
  const auto end = parse_time_span("-7");
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end.value().from.has_value());
}

TEST(ThreadNumbers, AreOneOrARange) {
  const auto one = parse_thread_numbers("2");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one.value().from, 2u);
  EXPECT_EQ(one.value().to, 2u);
  const auto range = parse_thread_numbers("1-4294967295");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range.value().from, 1u);
  EXPECT_EQ(range.value().to, ~u32{0});
}

TEST(ThreadNumbers, RefuseWhatIsNone) {
  for (const char* text : {"", "0", "-", "0-2", "3-2", "2-", "-2", "a", "1-2-3", "1.5", "1-4294967296"}) {
    EXPECT_FALSE(parse_thread_numbers(text).has_value()) << text;
  }
}

TEST(TimeSpan, RefusesWhatIsNone) {
  for (const char* text : {"", "-", "3", "3-1", "a-b", "1e3-", "1-2-3", "1234567890-"}) {
    EXPECT_FALSE(parse_time_span(text).has_value()) << text;
  }
}

TEST(RecordingLists, Percent) {
  EXPECT_EQ(parse_percent("0.05", "--percent-limit").value(), 0.05);
  EXPECT_EQ(parse_percent("0", "--percent-limit").value(), 0);
  EXPECT_EQ(parse_percent("100", "--percent-limit").value(), 100);
  for (const char* bad : {"", "-1", "100.1", "x", "5%", "nan", "1e9"}) {
    const auto percent = parse_percent(bad, "--percent-limit");
    ASSERT_FALSE(percent.has_value()) << bad;
    EXPECT_EQ(percent.error().code, diag::ExitCode::usage);
  }
}

TEST(RecordingLists, Lengths) {
  EXPECT_EQ(parse_length("1ms", "--min").value(), 1'000'000u);
  EXPECT_EQ(parse_length("2", "--min").value(), 2'000'000u);
  EXPECT_EQ(parse_length("0.5s", "--min").value(), 500'000'000u);
  EXPECT_EQ(parse_length("250us", "--min").value(), 250'000u);
  for (const char* text : {"", "ms", "1ns", "1 ms", "-1ms", "1msx", "99999999999999s"}) {
    EXPECT_FALSE(parse_length(text, "--min").has_value()) << text;
  }
}

TEST(ExportFormat, HintsListTheFormatsOfTheCommand) {
  EXPECT_EQ(parse_export_format("pprof").value(), ExportFormat::pprof);
  EXPECT_EQ(parse_export_format("prometheus").value(), ExportFormat::prometheus)
      << "refused later, with the right command";
  EXPECT_EQ(parse_export_format("foo").error().hint,
            "formats: pprof, firefox, speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, "
            "perf.data");
  EXPECT_EQ(parse_export_format("foo", true).error().hint, "formats: prometheus");
}

}  // namespace
}  // namespace wperf::request
