// SPDX-License-Identifier: BSD-3-Clause
// Bytes as the ring that a kernel filled: the first 16 are head and tail, the rest the ring. Everything between the two
// is handed out once or skipped, records stay inside of the ring, and addresses of samples are moved without harm.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "device/perf_events/record_collector.h"
#include "pipeline/program_spaces.h"

namespace {

using namespace wperf;

perf_data::EventTable table() {
  std::vector<perf_data::Event> events(2);
  for (perf_data::Event& event : events) {
    event.attributes.sample_type =
        perf_data::kSampleIdentifier | perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime;
    event.attributes.flags = u64{1} << 18;
  }
  events[0].ids = {1};
  events[1].ids = {2};
  return perf_data::EventTable(std::move(events));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 16) return 0;
  u64 head = 0, tail = 0;
  std::memcpy(&head, data, 8);
  std::memcpy(&tail, data + 8, 8);
  const auto ring = std::as_bytes(std::span(data + 16, std::bit_floor(size - 16)));
  raw::SampleCapture capture;
  raw::CoreTally tally;
  perf_events::RingReader reader(ring, head, tail);
  perf_events::RecordCollector collector(table());
  collector.collect(reader, 0, capture, tally);
  if (reader.tail() != head) std::abort();
  if (tally.taken != capture.samples.size() + tally.lost_ring_full) std::abort();
  perf_events::add_mappings(1, {reinterpret_cast<const char*>(data), size}, capture.happenings);
  const pipeline::ProgramSpaces spaces = pipeline::move_home(capture);
  for (const pipeline::HomeFile& file : spaces.files) {
    if (file.home + file.size < file.home) std::abort();
  }
  return 0;
}
