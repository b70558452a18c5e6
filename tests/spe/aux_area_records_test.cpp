// SPDX-License-Identifier: BSD-3-Clause
// From a kernel's AUX area to SPE records, without the hardware: this test makes the area and the records of its ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analysis/recording/spe_trace_records.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file_layout.h"
#include "machine/perf_events/rings.h"

namespace wperf::recording {
namespace {

// A perf.data file with these records, written by a single core.
std::string recorded_bytes(const recording::SpeTraceRecords& records) {
  std::string attributes(64, '\0');
  attributes[4] = 64;
  const std::vector<perf_data::WrittenEvent> events = {{.name = "dummy", .attributes = attributes, .ids = {1}}};
  const std::string file = perf_data::file_beginning(events) + records.records(8);
  const perf_data::PerfFile opened = perf_data::PerfFile::open(std::as_bytes(std::span(file))).value();
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(opened);
  if (traces.buffers().size() != 1) return {};
  const bytes::Span bytes = traces.buffers()[0].bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An AUX area of 256 bytes, written and drained in pieces of `step` bytes, so that pieces wrap around its end.
template <class Sink>
void through_area(const std::string& bytes, usize step, Sink&& sink) {
  std::string area(256, '\0');
  perf_events::AuxArea reader(1, std::as_bytes(std::span(area)));
  for (usize at = 0; at < bytes.size(); at += step) {
    const usize count = std::min(step, bytes.size() - at);
    for (usize i = 0; i < count; ++i) area[(at + i) % area.size()] = bytes[at + i];
    std::string told;
    for (const u64 word : {u64{11} | u64{32} << 48, u64{at}, u64{count}, u64{0}}) {
      told.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    reader.drain({.first = std::as_bytes(std::span(told)), .second = {}}, at + count, sink);
    ASSERT_EQ(reader.tail(), at + count);
  }
  ASSERT_EQ(reader.statistics().written, bytes.size());
}

TEST(AuxAreaRecords, RealRecordsComeThrough) {
  const std::filesystem::path path =
      std::filesystem::path(WPERF_SOURCE_DIR) / ".." / "shared" / "data" / "spe" / "real_spe_corpus.raw";
  std::ifstream file(path, std::ios::binary);
  const std::string corpus{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (corpus.empty()) GTEST_SKIP() << "the corpus of real SPE records is not at hand";
  for (const usize step : {1u, 7u, 64u, 100u, 255u, 256u}) {
    recording::SpeTraceRecords records(corpus.size());
    through_area(corpus, step, [&](const readings::SpePiece& one) { records.take(one); });
    EXPECT_EQ(recorded_bytes(records).substr(0, corpus.size()), corpus) << step;
  }
}

}  // namespace
}  // namespace wperf::recording
