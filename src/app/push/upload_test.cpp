// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/upload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <span>

#include "app/push/clickhouse_rows.h"
#include "app/push/clickhouse_table.h"
#include "ground/packing/zip_files.h"

namespace wperf::push {
namespace {

using request::PushTarget;

PackedProfile profile() {
  return {.bytes = "bytes",
          .sample_types = {"cycles.samples", "cy\"cles"},
          .begin_unix_ns = 1'700'000'000'900'000'000,
          .end_unix_ns = 1'700'000'000'950'000'000};
}

TEST(Upload, LabelsThatServersNeedAreAdded) {
  const auto labels = complete_labels({{"build", "7"}}, "shop");
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels[0].name + "=" + labels[0].value, "__name__=process_cpu");
  EXPECT_EQ(labels[1].name + "=" + labels[1].value, "service_name=shop");
  const auto own = complete_labels({{"service_name", "mine"}, {"__name__", "kind"}}, "shop");
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[0].value, "mine");
}

TEST(Upload, IngestSaysNameAndTimeInTheAddress) {
  const auto made =
      make_uploads(PushTarget::pyroscope_ingest, complete_labels({{"a", "b c"}, {"d", "e"}}, "shop"), profile());
  ASSERT_TRUE(made.has_value());
  // At least a second, because servers refuse a profile without a duration.
  EXPECT_EQ(made.value().front().path,
            "/ingest?name=shop%7Ba%3Db%20c%2Cd%3De%7D&from=1700000000&until=1700000001&format=pprof&spyName=wperf");
  EXPECT_NE(made.value().front().body.find(R"({"cycles.samples":{"units":"samples")"), std::string::npos);
  EXPECT_NE(made.value().front().body.find(R"("cy\"cles":{)"), std::string::npos);
  EXPECT_FALSE(
      make_uploads(PushTarget::pyroscope_ingest, complete_labels({{"a", "}"}}, "shop"), profile()).has_value());
}

TEST(Upload, TheSameProfileHasTheSameNumber) {
  const auto number_of = [](const PackedProfile& packed) {
    const auto made = make_uploads(PushTarget::pyroscope, complete_labels({}, "shop"), packed);
    std::smatch found;
    const std::string body = made.value().front().body;
    std::regex_search(body, found, std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    return found.str();
  };
  PackedProfile other = profile();
  other.bytes += '!';
  EXPECT_FALSE(number_of(profile()).empty());
  EXPECT_EQ(number_of(profile()), number_of(profile()));
  EXPECT_NE(number_of(profile()), number_of(other));
}

TEST(Upload, GrpcWebSaysHowLongTheMessageIs) {
  const auto made = make_uploads(PushTarget::parca, complete_labels({}, "shop"), profile());
  const std::string& body = made.value().front().body;
  ASSERT_GT(body.size(), 5u);
  EXPECT_EQ(body[0], 0);
  EXPECT_EQ(static_cast<usize>(static_cast<u8>(body[4])) + 5, body.size());
}

}  // namespace

namespace {

TEST(AgentCost, IsAddedToExistingEvents) {
  stacks::StackProfile profile;
  profile.events.push_back({.name = "cycles", .samples = 3, .period = 30});
  add_agent_cost({.cpu_ns = 5, .resident_bytes = 7, .pid = 9}, profile);
  ASSERT_EQ(profile.events.size(), 3u);
  EXPECT_EQ(profile.events[0].samples, 3u);
  EXPECT_EQ(profile.events[1].name, kAgentCpu);
  EXPECT_EQ(profile.events[2].period, 7u);
  ASSERT_EQ(profile.samples.size(), 2u);
  const stacks::StackSample& cpu = profile.samples[0];
  EXPECT_EQ(cpu.count, 5u);
  EXPECT_EQ(profile.tasks[cpu.task].pid, 9u);
  EXPECT_EQ(profile.functions[profile.function_of(cpu.node)].name, "wperf (the profiler)");
  EXPECT_EQ(profile.nodes[profile.nodes[cpu.node].parent].place, stacks::kNothing);
}

TEST(AgentCost, UnknownCostIsOmitted) {
  stacks::StackProfile profile;
  add_agent_cost({.cpu_ns = 5, .resident_bytes = 0, .pid = 9}, profile);
  EXPECT_EQ(profile.events.size(), 1u);
}

TEST(Upload, LongRowsOfClickHouseGoInSeveralRequestsWithOneId) {
  std::string rows;
  for (u32 row = 0; row < 40; ++row) rows += fmt::format("\"row\":{},\"a\":\"{}\"}}\n", row, std::string(1 << 20, 'x'));
  const std::vector<Upload> uploads = clickhouse_uploads(rows);
  EXPECT_EQ(uploads.size(), 3u);
  std::string all;
  for (const Upload& upload : uploads) {
    EXPECT_EQ(upload.path, kInsertPath);
    const auto take = [&](bytes::Span piece) {
      all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      return true;
    };
    EXPECT_EQ(packing::unpack_gzip(std::as_bytes(std::span(upload.body)), u64{1} << 30, take), packing::Unpacked::all);
  }
  const std::string head = fmt::format("{{\"profile\":\"{}\",", uuid_of(rows));
  usize found = 0;
  for (usize at = all.find(head); at != std::string::npos; at = all.find(head, at + 1)) {
    EXPECT_TRUE(all.substr(at + head.size()).starts_with(fmt::format("\"row\":{},", found)));
    ++found;
  }
  EXPECT_EQ(found, 40u);
}

}  // namespace
}  // namespace wperf::push
