// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/fleet_profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>

namespace wperf::profiles {
namespace {

constexpr std::string_view kHosts =
    R"({"data":[["a","2","100","160",120,"5"],["b","1","90","150",60.5,"0"]],"rows":2})";
constexpr std::string_view kStacks =
    R"({"data":[["7",["main","f"],["app","lib.so"],["","f.cpp"],[0,12],[0,0]],
               ["18446744073709551615",["main","g"],["app","app"],["",""],[0,0],[0,1]],
               ["9",[],[],[],[],[]]],"rows":3})";
constexpr std::string_view kCounts =
    R"({"data":[["7",["cycles","cycles"],["t","t"],["a","b"],["30","4"],["3000","400"]],
               ["18446744073709551615",["cycles"],["t"],["a"],["5"],["500"]],
               ["9",["instructions"],[""],["b"],["1"],["1"]]],"rows":3})";

std::string document(std::string_view hosts, std::string_view stacks, std::string_view counts) {
  return fmt::format(R"({{"hosts":{},"stacks":{},"counts":{}}})", hosts, stacks, counts);
}
diag::Result<FleetProfile> answer_of(const std::string& text) {
  return read_fleet(std::as_bytes(std::span(text)), {.lines = true}, [](u64) {});
}

TEST(FleetProfile, HasTheSumsOfAllHostsAndThoseOfEach) {
  auto fleet = answer_of(document(kHosts, kStacks, kCounts));
  ASSERT_TRUE(fleet.has_value());
  stacks::StackProfile& whole = fleet.value().whole.profile;
  ASSERT_EQ(whole.events.size(), 2u);
  EXPECT_EQ(whole.events[0].samples, 39u);
  EXPECT_EQ(whole.events[0].period, 3900u);
  EXPECT_EQ(whole.events[1].samples, 1u);
  EXPECT_EQ(whole.losses.lost_samples, 5u);
  EXPECT_EQ(fleet.value().whole.moments.begin_unix_ns, 90'000'000'000u);
  fleet.value().keep_only(0);
  EXPECT_EQ(whole.events[0].samples, 35u);
  EXPECT_EQ(whole.events[1].samples, 0u);
  EXPECT_EQ(whole.file, "a");
  EXPECT_EQ(whole.elapsed_seconds, 120);
  fleet.value().keep_only(1);
  EXPECT_EQ(whole.events[0].samples, 4u);
  EXPECT_EQ(whole.events[1].samples, 1u);
  EXPECT_EQ(whole.losses.lost_samples, 0u);
}

TEST(FleetProfile, FramesHaveModulesLinesAndMarks) {
  const auto fleet = answer_of(document(kHosts, kStacks, kCounts));
  ASSERT_TRUE(fleet.has_value());
  const stacks::StackProfile& whole = fleet.value().whole.profile;
  const auto named = [&](std::string_view name) {
    return std::find_if(whole.functions.begin(), whole.functions.end(),
                        [&](const stacks::StackFunction& one) { return one.name == name; });
  };
  ASSERT_NE(named("f"), whole.functions.end());
  EXPECT_EQ(whole.modules[named("f")->module].name, "lib.so");
  EXPECT_EQ(whole.lines, std::vector<std::string>{"f.cpp:12"});
  ASSERT_NE(named("g (inlined)"), whole.functions.end());
  EXPECT_TRUE(named("g (inlined)")->is_inlined);
  EXPECT_NE(named("[no stack]"), whole.functions.end());
}

TEST(FleetProfile, AnAnswerWithoutItsEndIsRefusedWhereverItEnds) {
  const std::string whole = document(kHosts, kStacks, kCounts);
  for (usize length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(answer_of(whole.substr(0, length)).has_value()) << length;
  EXPECT_FALSE(
      answer_of(document(R"({"data":[["a","2","100","160",120,"5"]],"rows":2})", kStacks, kCounts)).has_value());
  EXPECT_FALSE(answer_of(document(kHosts, R"({"data":[]})", kCounts)).has_value());
  EXPECT_FALSE(answer_of(R"({"hosts":{"data":[],"rows":0}})").has_value());
  const std::string_view cut = kHosts.substr(0, kHosts.size() - 1);
  EXPECT_FALSE(read_fleet_hosts(std::as_bytes(std::span(cut))).has_value());
}

TEST(FleetProfile, RowsThatDoNotFitTogetherAreLeftOutAndCounted) {
  const auto fleet = answer_of(document(
      kHosts, kStacks,
      R"({"data":[["8",["e"],["t"],["a"],["1"],["1"]],["7",["e","e"],["t"],["a"],["1"],["1"]],["x",[],[],[],[],[]]],"rows":3})"));
  ASSERT_TRUE(fleet.has_value());
  EXPECT_TRUE(fleet.value().whole.profile.samples.empty());
  EXPECT_EQ(fleet.value().whole.profile.losses.damaged_records, 3u);
}

}  // namespace
}  // namespace wperf::profiles
