// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/aux_traces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

constexpr u64 kSampleType = kSampleTid | kSampleTime | kSampleCpu | kSampleIdentifier;

FileBuilder spe_file() {
  FileBuilder builder;
  builder.event(test::attributes(kSampleType), {42, 43});
  builder.add(RecordType::time_conv, Fields().u64s({1, 20, 1000, 0, 0, 1}));
  return builder;
}

void add_chunk(FileBuilder& builder, u64 offset, u64 size, u32 cpu, u64 time, u64 flags = 0, u64 id = 42) {
  builder.add(RecordType::aux,
              Fields().u64s({offset, size, flags}).u32s({10, 11}).u64s({time}).u32s({cpu, 0}).u64s({id}));
}

void add_buffer(FileBuilder& builder, u64 offset, u64 size, u32 cpu, u32 tid = ~u32{0}) {
  builder.add(RecordType::auxtrace, Fields().u64s({size, offset, 0x1234}).u32s({cpu, tid, cpu, 0}));
  Fields data;
  for (u64 i = 0; i < size; ++i) data.put(static_cast<u8>(offset + i));
  builder.raw(data);
}

std::vector<std::byte>& keep(std::vector<std::byte> bytes) {
  static std::vector<std::vector<std::byte>> kept;
  return kept.emplace_back(std::move(bytes));
}

AuxTraces collect(const FileBuilder& builder) {
  const auto file = PerfFile::open(keep(builder.build()));
  EXPECT_TRUE(file.has_value());
  return AuxTraces::collect(file.value());
}

struct Part {
  u64 offset, size, time;
  bool operator==(const Part&) const = default;
};

std::vector<Part> parts(const AuxTraces& traces, usize buffer) {
  std::vector<Part> list;
  for (const AuxStretch& one : traces.stretches_of(traces.buffers().at(buffer))) {
    EXPECT_FALSE(one.bytes.empty());
    EXPECT_EQ(std::to_integer<u8>(one.bytes.front()), static_cast<u8>(one.offset));
    list.push_back({one.offset, one.bytes.size(), one.chunk == nullptr ? 0 : one.chunk->time});
  }
  return list;
}

TEST(AuxTraces, KnowBothVersionsOfTheirDescription) {
  FileBuilder first = spe_file();
  first.add(RecordType::auxtrace_info, Fields().u32s({4, 0}).u64s({8, 1}));
  const AuxTraces one = collect(first);
  ASSERT_TRUE(one.info().has_value());
  EXPECT_EQ(one.info()->version, 1);
  EXPECT_EQ(one.info()->pmu_type, 8);
  EXPECT_TRUE(one.info()->per_cpu);

  FileBuilder second = spe_file();
  Fields words = Fields().u32s({4, 0}).u64s({2, 4, 8, 2});
  words.u64s({0x1010101010101010, 0, 3, 0x413fd0c1, 8, 256}).u64s({0x1010101010101010, 5, 4, 0x413fd0c2, 9, 512, 7});
  second.add(RecordType::auxtrace_info, words);
  const AuxTraces two = collect(second);
  EXPECT_EQ(two.info()->version, 2);
  EXPECT_EQ(two.info()->pmu_type, 8);
  ASSERT_EQ(two.info()->cpus.size(), 2);
  EXPECT_EQ(two.info()->cpus[0].midr, 0x413fd0c1);
  EXPECT_EQ(two.info()->cpus[1].cpu, 5);
  EXPECT_EQ(two.info()->cpus[1].minimum_interval, 512);
}

TEST(AuxTraces, DoNotTrustTheDescription) {
  for (const Fields& words : {Fields().u64s({2, 4, 8, ~u64{0}}), Fields().u64s({2, ~u64{0}, 8, 1}),
                              Fields().u64s({2, 4, 8, 1, 0, 0, ~u64{0}, 1}), Fields().u64s({2}), Fields()}) {
    FileBuilder builder = spe_file();
    builder.add(RecordType::auxtrace_info, Fields().u32s({4, 0}).bytes(words.all()));
    const AuxTraces traces = collect(builder);
    ASSERT_TRUE(traces.info().has_value());
    EXPECT_TRUE(traces.info()->cpus.empty());
  }
}

TEST(AuxTraces, PutBuffersInOrderAndPartThem) {
  FileBuilder builder = spe_file();
  add_chunk(builder, 0, 100, 1, 500);
  add_chunk(builder, 100, 60, 1, 600, kAuxTruncated);
  add_chunk(builder, 160, 0, 1, 650, kAuxTruncated);
  add_chunk(builder, 200, 50, 1, 700, kAuxCollision);
  add_chunk(builder, 0, 30, 0, 800);
  add_buffer(builder, 128, 128, 1);
  add_buffer(builder, 0, 128, 1);
  add_buffer(builder, 0, 30, 0);
  const AuxTraces traces = collect(builder);
  ASSERT_EQ(traces.buffers().size(), 3);
  EXPECT_EQ(traces.size(), 286);
  EXPECT_EQ(traces.missing(), 0);
  const auto count_flagged = [&](u64 flag) {
    return std::ranges::count_if(traces.chunks(), [&](const AuxChunk& one) { return (one.flags & flag) != 0; });
  };
  EXPECT_EQ(count_flagged(kAuxTruncated), 2);
  EXPECT_EQ(count_flagged(kAuxCollision), 1);
  EXPECT_EQ(parts(traces, 0), (std::vector<Part>{{0, 30, 800}}));
  EXPECT_EQ(parts(traces, 1), (std::vector<Part>{{0, 100, 500}, {100, 28, 600}}));
  EXPECT_EQ(parts(traces, 2), (std::vector<Part>{{128, 32, 600}, {160, 40, 0}, {200, 50, 700}, {250, 6, 0}}));
}

TEST(AuxTraces, PartBuffersOfThreadsByTheThread) {
  FileBuilder builder = spe_file();
  builder.add(RecordType::id_index, Fields().u64s({2, 42, 0, ~u64{0}, 20, 43, 1, ~u64{0}, 30}));
  add_chunk(builder, 0, 16, 3, 500, 0, 42);  // the CPU does not matter
  add_chunk(builder, 0, 16, 5, 600, 0, 43);
  add_buffer(builder, 0, 16, ~u32{0}, 30);
  add_buffer(builder, 0, 16, ~u32{0}, 20);
  const AuxTraces traces = collect(builder);
  EXPECT_EQ(traces.buffers()[0].tid, 20);
  EXPECT_EQ(parts(traces, 0), (std::vector<Part>{{0, 16, 500}}));
  EXPECT_EQ(parts(traces, 1), (std::vector<Part>{{0, 16, 600}}));
}

TEST(AuxTraces, SayWhatIsMissing) {
  FileBuilder builder = spe_file();
  add_buffer(builder, 0, 64, 0);
  std::vector<std::byte>& bytes = keep(builder.build());
  bytes.resize(bytes.size() - 24);
  const auto file = PerfFile::open(bytes);
  const AuxTraces traces = AuxTraces::collect(file.value());
  ASSERT_EQ(traces.buffers().size(), 1);
  EXPECT_EQ(traces.buffers()[0].bytes.size(), 40);
  EXPECT_EQ(traces.missing(), 24);
  ASSERT_TRUE(traces.statistics().stop.has_value());
  EXPECT_EQ(traces.statistics().stop->reason, StopReason::payload_cut);
}

TEST(AuxTraces, ConvertTime) {
  const AuxTraces traces = collect(spe_file());
  ASSERT_TRUE(traces.time().has_value());
  EXPECT_EQ(traces.time()->to_perf_ns(0), 1000);
  EXPECT_EQ(traces.time()->to_perf_ns(7), 1070);
  FileBuilder wrapped;
  wrapped.event(test::attributes(kSampleType), {42});
  wrapped.add(RecordType::time_conv, Fields().u64s({0, 1, 0, 0x1'0000'0010, 0xffff'ffff, 0x0101}));
  EXPECT_EQ(collect(wrapped).time()->to_perf_ns(0x20), 0x1'0000'0020);
  EXPECT_EQ(collect(wrapped).time()->to_perf_ns(0), 0x2'0000'0000) << "the counter went over its end since";
  // the product exceeds 64 bits
  FileBuilder fine;
  fine.event(test::attributes(kSampleType), {42});
  fine.add(RecordType::time_conv, Fields().u64s({32, u64{40} << 32, 0, 0, 0, 1}));
  EXPECT_EQ(collect(fine).time()->to_perf_ns(u64{1} << 40), u64{40} << 40);
  FileBuilder impossible;
  impossible.event(test::attributes(kSampleType), {42}).add(RecordType::time_conv, Fields().u64s({64, 1, 0}));
  EXPECT_FALSE(collect(impossible).time().has_value());
}

}  // namespace
}  // namespace wperf::perf_data
