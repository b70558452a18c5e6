// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/spe_trace_records.h"

#include <gtest/gtest.h>

#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file_layout.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::recording {
namespace {

std::string attributes_of_nothing() {
  std::string bytes(64, '\0');
  bytes[4] = 64;
  return bytes;
}

struct Traces {
  std::string file;  // the file that the other members have views into
  perf_data::PerfFile opened;
  perf_data::AuxTraces traces;
};

Traces read_back(const SpeTraceRecords& records) {
  Traces read;
  const std::vector<perf_data::WrittenEvent> events = {
      {.name = "dummy", .attributes = attributes_of_nothing(), .ids = {1}}};
  read.file = perf_data::file_beginning(events) + records.records(8);
  read.opened = perf_data::PerfFile::open(std::as_bytes(std::span(read.file))).value();
  read.traces = perf_data::AuxTraces::collect(read.opened);
  return read;
}

std::string text_of(bytes::Span bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

readings::SpePiece piece(u32 core, bool after_gap, u64 address, std::string_view bytes) {
  return {.core = core, .after_gap = after_gap, .buffer_address = address, .bytes = std::as_bytes(std::span(bytes))};
}

TEST(SpeTraceRecords, PiecesThatFollowEachOtherAreOne) {
  SpeTraceRecords records(1000);
  records.take(piece(2, false, 4088, "firstpie"));
  records.take(piece(0, false, 0, "othercor"));
  records.take(piece(2, false, 0, "secondpi"));
  records.take(piece(2, true, 64, "behindga"));
  EXPECT_EQ(records.taken(), 32u);
  const Traces read = read_back(records);
  ASSERT_EQ(read.traces.buffers().size(), 3u);
  EXPECT_EQ(read.traces.info()->type, perf_data::kAuxArmSpe);
  EXPECT_EQ(read.traces.buffers()[0].cpu, 0u);
  EXPECT_EQ(text_of(read.traces.buffers()[1].bytes), "firstpiesecondpi");
  EXPECT_EQ(read.traces.buffers()[1].offset % 4096, 4088u);
  EXPECT_EQ(text_of(read.traces.buffers()[2].bytes), "behindga");
  EXPECT_EQ(read.traces.buffers()[2].offset % 4096, 64u);
  EXPECT_GT(read.traces.buffers()[2].offset, read.traces.buffers()[1].offset + 16);
}

TEST(SpeTraceRecords, WhatIsTooMuchIsCounted) {
  SpeTraceRecords records(10);
  records.take(piece(0, false, 0, "12345678"));
  records.take(piece(0, false, 8, "12345678"));
  EXPECT_EQ(records.taken(), 8u);
  EXPECT_EQ(records.left_out(), 8u);
}

}  // namespace
}  // namespace wperf::recording
