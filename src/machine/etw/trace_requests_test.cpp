// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/trace_requests.h"

#include <gtest/gtest.h>

#include <array>

#include "formats/etl/kernel_events.h"
#include "sim/tracing/fake_trace_api.h"

namespace wperf::etw {
namespace {

TEST(EtwRequests, SourceListsAreReadAsFarAsTheyMakeSense) {
  const std::vector<ProfileSource> sources = fake::usual_sources();
  Bytes bytes = source_list_bytes(sources);
  const std::vector<ProfileSource> read = source_list(bytes);
  ASSERT_EQ(read.size(), sources.size());
  EXPECT_EQ(read[1].name, "TotalIssues");
  EXPECT_EQ(read[0].least, 1221u);
  EXPECT_TRUE(source_list(std::span(bytes).first(20)).empty());
  EXPECT_EQ(source_list(std::span(bytes).first(50)).size(), 1u);
  put_at(std::span(bytes), 0, u32{5});  // the next entry begins inside this entry
  EXPECT_TRUE(source_list(bytes).empty());
  put_at(std::span(bytes), 0, ~u32{0});
  EXPECT_TRUE(source_list(bytes).empty());
}

// Compared with the documented tables, not with our own reader.
TEST(EtwRequests, HaveTheBytesThatAreDocumented) {
  const Bytes properties =
      properties_bytes({.buffer_kb = 512, .most_mb = 9, .log_file_mode = 0x02000001, .enable_flags = 7, .file = "x"});
  EXPECT_EQ(number_at<u32>(properties, 0), properties.size());
  EXPECT_EQ(number_at<u32>(properties, 44), 0x20000u);
  EXPECT_EQ(number_at<u32>(properties, 48), 512u);
  EXPECT_EQ(number_at<u32>(properties, 60), 9u);
  EXPECT_EQ(number_at<u32>(properties, 64), 0x02000001u);
  EXPECT_EQ(number_at<u32>(properties, 72), 7u);
  EXPECT_EQ(number_at<u16>(properties, number_at<u32>(properties, 112)), u16{'x'});
  const Bytes ids = event_ids_bytes(std::array<EventId, 1>{kSwitch});
  ASSERT_EQ(ids.size(), 24u);
  EXPECT_EQ(number_at<u32>(ids, 0), 0x3d6fa8d1u);
  EXPECT_EQ(number_at<u8>(ids, 16), 36u);
  const Bytes add = add_source_bytes({.event = 0x70, .cpu = {1, 2, 3}, .interval = 65536, .name = "ab"});
  ASSERT_EQ(add.size(), 34u + 6);
  EXPECT_EQ(number_at<u32>(add, 0), 21u);
  EXPECT_EQ(number_at<u32>(add, 8), 0x70u);
  EXPECT_EQ(number_at<u32>(add, 24), 3u);
  EXPECT_EQ(number_at<u32>(add, 28), 65536u);
  EXPECT_EQ(number_at<u16>(add, 36), u16{'b'});
}

}  // namespace
}  // namespace wperf::etw
