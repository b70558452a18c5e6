// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/fleet_address.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

constexpr u64 kNow = 1'700'000'000;

FleetAddress parsed(std::string_view text) {
  auto address = parse_fleet_address(text, kNow);
  EXPECT_TRUE(address.has_value()) << text;
  return address.has_value() ? std::move(address).value() : FleetAddress{};
}

TEST(FleetAddress, OnlyItsSchemesAreAddresses) {
  for (const char* text : {"clickhouse://a", "clickhouse+https://a", "pyroscope://a", "pyroscope+https://a"})
    EXPECT_TRUE(is_fleet_address(text)) << text;
  for (const char* text : {"clickhouse:/a", "http://a", "perf.data", "./clickhouse://a", "Clickhouse://a", ""})
    EXPECT_FALSE(is_fleet_address(text)) << text;
}

TEST(FleetAddress, HasTheUsualPortsAndNoSlashAtItsEnd) {
  EXPECT_EQ(parsed("clickhouse://db/shop").url, "http://db:8123/shop");
  EXPECT_EQ(parsed("clickhouse://db:9/shop/?since=1h").url, "http://db:9/shop");
  EXPECT_EQ(parsed("clickhouse+https://[::1]").url, "https://[::1]:8443");
  EXPECT_EQ(parsed("clickhouse://[::1]:9").url, "http://[::1]:9");
  EXPECT_EQ(parsed("pyroscope://p?query=a").url, "http://p:4040");
  EXPECT_EQ(parsed("pyroscope+https://p/mimir/?query=a").url, "https://p:443/mimir");
}

TEST(FleetAddress, LabelsMayHaveSeveralValuesOfAnyKind) {
  const FleetAddress address = parsed("clickhouse://db/shop?build=41&zone=a%26b%3D%25&build=42&&host=x=y");
  ASSERT_EQ(address.choices.size(), 3u);
  EXPECT_EQ(address.choices[0].label, "build");
  EXPECT_EQ(address.choices[0].values, (std::vector<std::string>{"41", "42"}));
  EXPECT_EQ(address.choices[1].values, std::vector<std::string>{"a&b=%"});
  EXPECT_EQ(address.choices[2].values, std::vector<std::string>{"x=y"});
}

TEST(FleetAddress, TimesAreLengthsOrDates) {
  EXPECT_EQ(parsed("clickhouse://db?since=1h").since_unix_s, kNow - 3600);
  EXPECT_EQ(parsed("clickhouse://db?until=90m").until_unix_s, kNow - 5400);
  EXPECT_EQ(parsed("clickhouse://db?since=100000d").since_unix_s, 0u);
  EXPECT_EQ(parsed("clickhouse://db?since=2023-11-14").since_unix_s, 1'699'920'000u);
  EXPECT_EQ(parsed("clickhouse://db?since=2023-11-14T22:13:20").since_unix_s, kNow);
  EXPECT_EQ(parsed("clickhouse://db?since=2023-11-14%2022:13:20Z").since_unix_s, kNow);
  EXPECT_FALSE(parsed("clickhouse://db").since_unix_s.has_value());
}

TEST(FleetAddress, AnythingElseIsRefused) {
  for (const char* text : {"clickhouse://",
                           "clickhouse:///db",
                           "clickhouse://db?x",
                           "clickhouse://db?=1",
                           "clickhouse://db?a=",
                           "clickhouse://db?a=%",
                           "clickhouse://db?a=%4",
                           "clickhouse://db?a=%zz",
                           "clickhouse://db?a=%0a",
                           "clickhouse://db?a-b=1",
                           "clickhouse://db?since=1",
                           "clickhouse://db?since=-1h",
                           "clickhouse://db?since=soon",
                           "clickhouse://db?since=2023-02-30",
                           "clickhouse://db?since=2023-11-14T24:00:00",
                           "clickhouse://db?since=1023-11-14",
                           "clickhouse://db?since=2023-1a-14",
                           "pyroscope://p",
                           "pyroscope://p?build=1",
                           "http://db"}) {
    const auto address = parse_fleet_address(text, kNow);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error().code, diag::ExitCode::usage);
  }
}

}  // namespace
}  // namespace wperf::request
