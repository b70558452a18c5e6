// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_code.h"

#include <gtest/gtest.h>

namespace wperf::recording {
namespace {

using stacks::kNothing;

// main calls callback, which calls outer. callback itself has one of 1,000 samples.
stacks::StackProfile three_functions() {
  stacks::StackProfile profile;
  profile.events = {{.name = "cycles", .samples = 1000, .period = 1000}};
  profile.names = {"prog"};
  profile.tasks = {{1, 1, 0}};
  profile.modules = {{.name = "prog", .path = "/prog", .reason = {}}};
  profile.functions = {{"main", 0, true, false}, {"callback", 0, true, false}, {"outer", 0, true, false}};
  profile.places = {{0, kNothing}, {1, kNothing}, {2, kNothing}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 1}, {2, 2}};
  profile.texts = {"", "prog.c"};
  for (u32 function = 0; function < 3; ++function) {
    profile.code_frames.push_back({.file = 1, .line = 10 * (function + 1)});
    profile.sites.push_back({.function = function, .address = function, .first_frame = function, .frame_count = 1});
  }
  profile.site_of_node = {kNothing, 0, 1, 2};
  profile.samples = {{.node = 2, .count = 1, .period = 1}, {.node = 3, .count = 999, .period = 999}};
  profile.has_callers = true;
  return profile;
}

std::vector<stacks::FunctionCode> code_of(std::string_view name, bool with_calls) {
  stacks::StackProfile profile = three_functions();
  CodeRequest request;
  request.most_functions = 50;
  request.with_calls = with_calls;
  if (!name.empty()) request.filter.symbol = [name](std::string_view one) { return one == name; };
  EXPECT_TRUE(add_function_code({}, request, profile).has_value());
  return profile.code;
}

TEST(FunctionCode, ANamedFunctionIsShownAloneAndWhateverItsShareIs) {
  for (const bool with_calls : {true, false}) {
    const auto code = code_of("callback", with_calls);
    ASSERT_EQ(code.size(), 1u);
    EXPECT_EQ(code[0].function, 1u);
    EXPECT_EQ(code[0].hits.samples, 1u);
    EXPECT_EQ(code[0].all.samples, with_calls ? 1000u : 1u) << "the same as without a name";
    ASSERT_EQ(code[0].lines.size(), 1u);
    EXPECT_EQ(code[0].lines[0].line, 20u);
  }
}

TEST(FunctionCode, WithoutANameTheSmallOnesAreLeftOut) {
  EXPECT_EQ(code_of("", true).size(), 3u) << "callers of hot code";
  const auto own = code_of("", false);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].function, 2u);
}

}  // namespace
}  // namespace wperf::recording
