// SPDX-License-Identifier: BSD-3-Clause
#include "views/schemas/schemas.h"

#include <gtest/gtest.h>

#include <set>

namespace wperf::schemas {
namespace {

TEST(Schemas, AreFoundByTheirNames) {
  std::set<std::string_view> names;
  for (const Schema& schema : all()) {
    EXPECT_TRUE(names.insert(schema.name).second) << schema.name;
    EXPECT_EQ(find(schema.name), &schema);
    EXPECT_FALSE(schema.title.empty()) << schema.name;
  }
  EXPECT_EQ(find("nothing"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Schemas, SayWhichCommandLinesPrintTheDocument) {
  const auto lines_of = [](std::string_view name) { return printed_by(*find(name)); };
  EXPECT_EQ(lines_of("timeline"), std::vector<std::string_view>{"stat -t --json"});
  EXPECT_EQ(lines_of("diff"), (std::vector<std::string_view>{"diff --json", "bench --json"}));
  for (const Schema& schema : all()) EXPECT_FALSE(printed_by(schema).empty()) << schema.name;
  EXPECT_TRUE(printed_by({.name = {}, .title = {}, .description = "`wperf` and `-o`", .text = {}}).empty());
}

// Each schema must be complete, because a reader may not have the other files.
TEST(Schemas, ContainTheSchemasThatTheyReferTo) {
  const std::string_view timeline = find("timeline")->text, stat = find("stat")->text;
  EXPECT_TRUE(timeline.contains(R"("$ref": "wperf-stat-1")"));
  EXPECT_TRUE(timeline.contains(R"("$id": "wperf-stat-1")"));
  EXPECT_FALSE(stat.contains(R"("$id": "wperf-timeline-1")"));
  // Included indirectly, through another schema.
  EXPECT_TRUE(find("report")->text.contains(R"("$id": "wperf-about-1")"));
}

}  // namespace
}  // namespace wperf::schemas
