// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/push_request.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

TEST(PushRequest, NamesOfServersAreThoseOfTheList) {
  EXPECT_EQ(parse_push_target("pyroscope").value(), PushTarget::pyroscope);
  EXPECT_EQ(parse_push_target("pyroscope-ingest").value(), PushTarget::pyroscope_ingest);
  EXPECT_EQ(parse_push_target("clickhouse").value(), PushTarget::clickhouse);
  EXPECT_FALSE(parse_push_target("").has_value());
  EXPECT_FALSE(parse_push_target("prometheus").has_value());
}

TEST(PushRequest, LabelsAreNamesAndValues) {
  const auto label = parse_push_label("a_1=x=y");
  ASSERT_TRUE(label.has_value());
  EXPECT_EQ(label.value().name, "a_1");
  EXPECT_EQ(label.value().value, "x=y");
  for (const char* wrong : {"", "=", "a=", "=b", "1a=b", "a-b=c", "a b=c", "a=b\nc", "a"}) {
    EXPECT_FALSE(parse_push_label(wrong).has_value()) << wrong;
  }
  EXPECT_FALSE(parse_push_label("a=" + std::string(1025, 'x')).has_value());
}

TEST(PushRequest, LimitsHaveUnits) {
  EXPECT_EQ(parse_byte_limit("3K", "--spool-limit").value(), 3u << 10);
  EXPECT_EQ(parse_byte_limit("64", "--spool-limit").value(), 64u << 20);
  EXPECT_EQ(parse_byte_limit("2G", "--spool-limit").value(), u64{2} << 30);
  for (const char* wrong : {"", "K", "0", "-1", "1T", "1.5M", "99999999999G", "18446744073709551615M"}) {
    EXPECT_FALSE(parse_byte_limit(wrong, "--spool-limit").has_value()) << wrong;
  }
}

}  // namespace
}  // namespace wperf::request
