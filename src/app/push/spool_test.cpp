// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/spool.h"

#include <gtest/gtest.h>

namespace wperf::push {
namespace {

SpoolEntry entry() {
  return {
      .server = "http://a:1",
      .tenant = "",
      .name = "perf.data",
      .upload = {
          .path = "/ingest?name=x", .content_type = "a/b", .content_encoding = "", .body = std::string("\0\n\nx", 4)}};
}

TEST(SpoolEntry, ReadsWhatItWrote) {
  const auto read = read_entry(entry_bytes(entry()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read.value().server, "http://a:1");
  EXPECT_EQ(read.value().tenant, "");
  EXPECT_EQ(read.value().name, "perf.data");
  EXPECT_EQ(read.value().upload.path, "/ingest?name=x");
  EXPECT_EQ(read.value().upload.content_type, "a/b");
  EXPECT_EQ(read.value().upload.body, entry().upload.body);
}

TEST(SpoolEntry, EveryCutAndEveryChangedBodyIsDamage) {
  const std::string whole = entry_bytes(entry());
  for (usize size = 0; size < whole.size(); ++size) EXPECT_FALSE(read_entry(whole.substr(0, size)).has_value()) << size;
  EXPECT_FALSE(read_entry(whole + "x").has_value());
  std::string changed = whole;
  changed.back() = 'y';
  EXPECT_FALSE(read_entry(changed).has_value());
}

// A line end in a field would begin another header line.
TEST(SpoolEntry, LinesCannotBeSmuggledIn) {
  SpoolEntry tricky = entry();
  tricky.name = "a\nserver http://evil";
  tricky.upload.content_type = "a\r\nX: y";
  const auto read = read_entry(entry_bytes(tricky));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read.value().server, "http://a:1");
  EXPECT_EQ(read.value().name, "a?server http://evil");
  EXPECT_EQ(read.value().upload.content_type, "a??X: y");
}

}  // namespace
}  // namespace wperf::push
