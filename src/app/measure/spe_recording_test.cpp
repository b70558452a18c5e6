// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_recording.h"

#include <gtest/gtest.h>

#include "formats/perf_data/aux_traces.h"
#include "formats/spe/spe_encoder.h"
#include "ground/os/mapped_file.h"

namespace wperf::measure {
namespace {

using spe::DecodeState;
using spe::EncodedOperation;
using spe::Record;
using spe::SpeEncoder;

// Records with the padding of a core, or without padding.
std::vector<std::byte> some_records(u32 count, bool padded = true) {
  SpeEncoder encoder;
  for (u32 i = 0; i < count; ++i) {
    EncodedOperation operation;
    operation.pc = 0x1000 + i * 4;
    operation.timestamp = i + 1;
    if (padded) {
      encode_neoverse_record(operation, encoder);
    } else {
      encoder.pc(operation.pc).timestamp(operation.timestamp);
    }
  }
  return {encoder.bytes().begin(), encoder.bytes().end()};
}

struct Decoded {
  std::vector<u64> pcs;
  spe::Damage damage;
};

// Decodes each piece of the trace separately, as reports do.
Decoded decoded(const os::RecordingFile& file) {
  const os::MappedFile mapped = os::MappedFile::open(file.openable_path()).value();
  const perf_data::PerfFile opened = perf_data::PerfFile::open(mapped.bytes()).value();
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(opened);
  Decoded out;
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    for (const perf_data::AuxStretch& stretch : traces.stretches_of(buffer)) {
      DecodeState state;
      state.buffer_address = stretch.offset;
      const usize used =
          spe::for_each_record(stretch.bytes, state, [&](const Record& record) { out.pcs.push_back(record.pc()); });
      spe::end_of_buffer(state, stretch.bytes.size() - used);
      out.damage.add(state.damage);
    }
  }
  return out;
}

Decoded recorded(const std::vector<readings::SpePiece>& pieces) {
  auto file = os::RecordingFile::create({});
  EXPECT_TRUE(file.has_value());
  SpeRecorder recorder({}, {}, file.value());
  for (const readings::SpePiece& piece : pieces) recorder.take(piece);
  recorder.finish({.processes = {}, .threads = {}, .run = {}}, {}, {});
  file.value().close();
  EXPECT_FALSE(file.value().error().has_value());
  return decoded(file.value());
}

TEST(SpeRecorder, RecordsAreWholeHoweverTheirBytesCome) {
  constexpr u32 kRecords = 40;
  for (const usize step : {1u, 7u, 64u, 100u, 129u, 1u << 20}) {
    const std::vector<std::byte> bytes = some_records(kRecords, step != 129);
    std::vector<readings::SpePiece> pieces;
    for (usize at = 0; at < bytes.size(); at += step) {
      pieces.push_back({.core = 2,
                        .after_gap = false,
                        .buffer_address = 0x7000 + at,
                        .bytes = std::span(bytes).subspan(at, std::min(step, bytes.size() - at))});
    }
    const Decoded read = recorded(pieces);
    ASSERT_EQ(read.pcs.size(), kRecords) << step;
    for (u32 i = 0; i < kRecords; ++i) EXPECT_EQ(read.pcs[i], 0x1000 + i * 4);
    EXPECT_FALSE(read.damage.any()) << step;
  }
}

TEST(SpeRecorder, AGapEndsWhatWasBegun) {
  const std::vector<std::byte> bytes = some_records(4);
  const usize record = bytes.size() / 4;
  const auto part = [&](usize at, usize size, bool after_gap) {
    return readings::SpePiece{
        .core = 0, .after_gap = after_gap, .buffer_address = at, .bytes = std::span(bytes).subspan(at, size)};
  };
  const Decoded read = recorded({part(0, record + 20, false), part(2 * record, 2 * record, true)});
  EXPECT_EQ(read.pcs, (std::vector<u64>{0x1000, 0x1008, 0x100c}));
  EXPECT_EQ(read.damage.unfinished_records, 1u);
}

// Garbage is written unchanged, and is not kept in memory.
TEST(SpeRecorder, BytesWithoutRecordsAreNotKept) {
  const std::vector<std::byte> garbage(3 << 20, std::byte{0xff});
  const Decoded read = recorded({{.core = 0, .after_gap = false, .buffer_address = 0, .bytes = garbage}});
  EXPECT_TRUE(read.pcs.empty());
  EXPECT_EQ(read.damage.bad_bytes, garbage.size());
}

std::optional<perf_data::TimeConversion> conversion_of(const plan::TimerMoment& timer, bool timestamps = true) {
  auto file = os::RecordingFile::create({});
  EXPECT_TRUE(file.has_value());
  plan::SpePlan plan;
  plan.timestamps = timestamps;
  SpeRecorder recorder(plan, timer, file.value());
  recorder.finish({.processes = {}, .threads = {}, .run = {}}, {}, {});
  file.value().close();
  const os::MappedFile mapped = os::MappedFile::open(file.value().openable_path()).value();
  return perf_data::AuxTraces::collect(perf_data::PerfFile::open(mapped.bytes()).value()).time();
}

TEST(SpeRecorder, TicksBecomeTheClockOfTheRun) {
  constexpr u64 kMinute = 60'000'000'000, kMonth = 30ull * 24 * 60 * kMinute;
  for (const u32 hz : {1u, 1'000'000u, 19'200'000u, 24'000'000u, 25'000'000u, 1'000'000'000u, ~u32{0}}) {
    // The offset between the clocks is arbitrary, and the timer may be read much later.
    for (const u64 time_ns : {u64{5}, kMonth}) {
      const u64 ticks = u64{hz} * 86400;
      const auto time = conversion_of({.hz = hz, .ticks = ticks, .time_ns = time_ns});
      ASSERT_TRUE(time.has_value());
      EXPECT_TRUE(time->has_zero);
      EXPECT_EQ(time->to_perf_ns(ticks), time_ns) << hz;
      const u64 later = time->to_perf_ns(ticks + u64{hz} * 60) - time_ns;
      EXPECT_NEAR(static_cast<double>(later), static_cast<double>(kMinute), 1000) << hz;
    }
  }
}

TEST(SpeRecorder, AnUnknownTimerTellsNoTimes) {
  EXPECT_FALSE(conversion_of({.hz = 0, .ticks = 1, .time_ns = 2}).has_value());
  EXPECT_FALSE(conversion_of({.hz = 25'000'000, .ticks = 1, .time_ns = 2}, false).has_value());
}

}  // namespace
}  // namespace wperf::measure
