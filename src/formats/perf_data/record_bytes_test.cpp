// SPDX-License-Identifier: BSD-3-Clause
// formats/perf_data reads back the written records, field by field.
#include "formats/perf_data/record_bytes.h"

#include <gtest/gtest.h>

#include <vector>

#include "formats/perf_data/byte_writing.h"
#include "formats/perf_data/kernel_records.h"
#include "formats/perf_data/user_records.h"

namespace wperf::perf_data {
namespace {

using namespace perf_data;

constexpr u64 kSampleIdAll = u64{1} << 18;
constexpr u64 kEverything = kIdentityFields | kSampleIp | kSamplePeriod | kSampleCallchain;

EventTable events_of(u64 sample_type) {
  Event event;
  event.attributes.sample_type = sample_type;
  event.attributes.flags = kSampleIdAll;
  event.ids = {77};
  return EventTable({event});
}

Trailer trailer_of(u64 sample_type) {
  return {.sample_type = sample_type, .pid = 1, .tid = 2, .cpu = 3, .time = 4, .id = 77, .stream_id = 6};
}

void expect_identity(const Identity& identity, u64 sample_type) {
  EXPECT_EQ(identity.fields, sample_type & kIdentityFields);
  EXPECT_EQ(identity.pid, identity.has(kSampleTid) ? 1u : 0);
  EXPECT_EQ(identity.tid, identity.has(kSampleTid) ? 2u : 0);
  EXPECT_EQ(identity.cpu, identity.has(kSampleCpu) ? 3u : 0);
  EXPECT_EQ(identity.time, identity.has(kSampleTime) ? 4u : 0);
  EXPECT_EQ(identity.id, identity.has(kSampleId) || identity.has(kSampleIdentifier) ? 77u : 0);
  EXPECT_EQ(identity.stream_id, identity.has(kSampleStreamId) ? 6u : 0);
}

// The only record in these bytes.
Record record_in(const std::string& bytes) {
  EXPECT_EQ(bytes.size() % 8, 0u);
  RecordStream stream(std::as_bytes(std::span(bytes)), 0);
  Record record, more;
  EXPECT_TRUE(stream.next(record));
  EXPECT_FALSE(stream.next(more));
  EXPECT_FALSE(stream.statistics().stop.has_value());
  return record;
}

const u64 kTrailers[] = {0, kSampleTid, kSampleIp | kSampleTid | kSampleCpu | kSampleId,
                         kSampleIdentifier | kSampleTime, kEverything};

TEST(RecordBytes, LostSamples) {
  for (const u64 type : kTrailers) {
    std::string bytes;
    append_lost_samples(bytes, 12345, trailer_of(type));
    LostSamples lost;
    const Record record = record_in(bytes);
    EXPECT_EQ(record.kind(), RecordType::lost_samples);
    ASSERT_TRUE(read(record, events_of(type), lost));
    EXPECT_EQ(lost.samples, 12345u);
    EXPECT_FALSE(lost.by_filter);
    expect_identity(lost.identity, type);
  }
}

TEST(RecordBytes, Mapping) {
  for (const u64 type : kTrailers) {
    std::string bytes;
    append_mmap2(bytes,
                 {.pid = 10,
                  .tid = 11,
                  .address = 0x7ff6'0000'0000,
                  .length = 0x3000,
                  .page_offset = 0x1000,
                  .device_major = 8,
                  .device_minor = 1,
                  .inode = 99,
                  .inode_generation = 7,
                  .file = "C:\\x\\a.dll"},
                 trailer_of(type));
    Mmap mapping;
    const Record record = record_in(bytes);
    ASSERT_TRUE(read(record, events_of(type), mapping));
    EXPECT_EQ(record.misc, 2) << "code of a user's program";
    EXPECT_EQ(mapping.pid, 10u);
    EXPECT_EQ(mapping.tid, 11u);
    EXPECT_EQ(mapping.address, 0x7ff6'0000'0000u);
    EXPECT_EQ(mapping.length, 0x3000u);
    EXPECT_EQ(mapping.page_offset, 0x1000u);
    EXPECT_EQ(mapping.device_major, 8u);
    EXPECT_EQ(mapping.device_minor, 1u);
    EXPECT_EQ(mapping.inode, 99u);
    EXPECT_EQ(mapping.inode_generation, 7u);
    EXPECT_EQ(mapping.protection, 5u);
    EXPECT_EQ(mapping.flags, 2u);
    EXPECT_EQ(mapping.file, "C:\\x\\a.dll");
    EXPECT_FALSE(mapping.is_data);
    expect_identity(mapping.identity, type);
  }
}

TEST(RecordBytes, MappingWithBuildId) {
  std::string bytes;
  append_mmap2(bytes, {.kernel = true, .protection = 1, .build_id = "12345678", .file = "/lib/x"}, {});
  Mmap mapping;
  const Record record = record_in(bytes);
  ASSERT_TRUE(read(record, events_of(0), mapping));
  EXPECT_EQ(record.misc & kMiscCpuMode, 1);
  EXPECT_EQ(mapping.build_id.size(), 8u);
  EXPECT_EQ(mapping.inode, 0u);
  EXPECT_TRUE(mapping.is_data);
  EXPECT_EQ(mapping.file, "/lib/x");
}

TEST(RecordBytes, LongNamesAreCut) {
  const std::string name(100'000, 'x');
  std::string bytes;
  append_mmap2(bytes, {.file = name}, trailer_of(kEverything));
  Mmap mapping;
  ASSERT_TRUE(read(record_in(bytes), events_of(kEverything), mapping));
  EXPECT_EQ(bytes.size(), kLargestRecord);
  EXPECT_GT(mapping.file.size(), 65'000u);
  EXPECT_TRUE(name.starts_with(mapping.file));
  expect_identity(mapping.identity, kEverything);
}

TEST(RecordBytes, Names) {
  for (const u64 type : kTrailers) {
    for (const std::string_view name : {"", "program", "eight by"}) {
      std::string bytes;
      append_comm(bytes, {10, 11}, name, name == "program", trailer_of(type));
      Comm comm;
      ASSERT_TRUE(read(record_in(bytes), events_of(type), comm));
      EXPECT_EQ(comm.pid, 10u);
      EXPECT_EQ(comm.tid, 11u);
      EXPECT_EQ(comm.name, name);
      EXPECT_EQ(comm.by_exec, name == "program");
      expect_identity(comm.identity, type);
    }
  }
}

TEST(RecordBytes, Forks) {
  for (const u64 type : kTrailers) {
    std::string fork;
    append_fork(fork, {10, 11}, {9, 8}, 1234, trailer_of(type));
    Task task;
    ASSERT_TRUE(read(record_in(fork), events_of(type), task));
    EXPECT_FALSE(task.is_exit);
    EXPECT_EQ(task.pid, 10u);
    EXPECT_EQ(task.parent_pid, 9u);
    EXPECT_EQ(task.tid, 11u);
    EXPECT_EQ(task.parent_tid, 8u);
    EXPECT_EQ(task.time, 1234u);
    expect_identity(task.identity, type);
  }
}

TEST(RecordBytes, Samples) {
  const u64 chain[] = {kCallchainUser, 0x400, 0x300};
  for (const u64 type : kTrailers) {
    std::string bytes;
    append_sample(bytes, {.sample_type = type,
                          .id = 77,
                          .stream_id = 6,
                          .ip = 0x400,
                          .time = 4,
                          .period = 1000,
                          .pid = 1,
                          .tid = 2,
                          .cpu = 3,
                          .kernel = type == kEverything,
                          .callchain = chain});
    Sample sample;
    const Record record = record_in(bytes);
    ASSERT_EQ(events_of(type).read(record, sample), EventTable::Found::yes);
    const auto has = [type](u64 field) { return (type & field) != 0; };
    EXPECT_EQ(record.misc, type == kEverything ? 1 : 2);
    EXPECT_EQ(sample.ip, has(kSampleIp) ? 0x400u : 0);
    EXPECT_EQ(sample.pid, has(kSampleTid) ? 1u : 0);
    EXPECT_EQ(sample.tid, has(kSampleTid) ? 2u : 0);
    EXPECT_EQ(sample.time, has(kSampleTime) ? 4u : 0);
    EXPECT_EQ(sample.id, has(kSampleId | kSampleIdentifier) ? 77u : 0);
    EXPECT_EQ(sample.stream_id, has(kSampleStreamId) ? 6u : 0);
    EXPECT_EQ(sample.cpu, has(kSampleCpu) ? 3u : 0);
    EXPECT_EQ(sample.period, has(kSamplePeriod) ? 1000u : 0);
    ASSERT_EQ(sample.callchain.size(), has(kSampleCallchain) ? 3u : 0u);
    EXPECT_EQ(sample.callchain[2], has(kSampleCallchain) ? 0x300u : 0);
  }
}

TEST(RecordBytes, DeepStacksAreCut) {
  const std::vector<u64> chain(20'000, 0x400);
  std::string bytes;
  append_sample(bytes, {.sample_type = kSampleIp | kSampleCallchain, .ip = 0x400, .callchain = chain});
  Sample sample;
  ASSERT_EQ(events_of(kSampleIp | kSampleCallchain).read(record_in(bytes), sample), EventTable::Found::yes);
  EXPECT_EQ(bytes.size(), kLargestRecord);
  EXPECT_EQ(sample.callchain.size(), (kLargestRecord - 24) / 8);
}

TEST(RecordBytes, HardwareTraces) {
  std::string info_bytes, trace_bytes;
  const u64 parameters[] = {8, 1};
  append_auxtrace_info(info_bytes, kAuxArmSpe, parameters);
  AuxTraceInfo info;
  ASSERT_TRUE(read(record_in(info_bytes), info));
  EXPECT_EQ(info.type, kAuxArmSpe);
  ASSERT_EQ(info.parameters.size(), 2u);
  EXPECT_EQ(info.parameters[0], 8u);
  append_auxtrace(trace_bytes, 5, 4096, "elevenbytes");
  AuxTrace trace;
  ASSERT_TRUE(read(record_in(trace_bytes), trace));
  EXPECT_EQ(trace.cpu, 5u);
  EXPECT_EQ(trace.tid, ~u32{0});
  EXPECT_EQ(trace.offset, 4096u);
  EXPECT_EQ(trace.size, 16u);
  EXPECT_EQ(trace.data.size(), 16u);
  EXPECT_EQ(text_in(trace.data), "elevenbytes");
}

TEST(RecordBytes, NotesForTheReader) {
  std::string round, name;
  append_finished_round(round);
  EXPECT_EQ(record_in(round).kind(), RecordType::finished_round);
  append_event_name(name, 77, "ld_spec");
  EventUpdate update;
  ASSERT_TRUE(read(record_in(name), update));
  EXPECT_EQ(update.kind, EventUpdate::Kind::name);
  EXPECT_EQ(update.id, 77u);
  EXPECT_EQ(update.text(), "ld_spec");
}

}  // namespace
}  // namespace wperf::perf_data
