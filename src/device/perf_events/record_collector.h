// SPDX-License-Identifier: BSD-3-Clause
// Records of one core's ring → samples, happenings (mappings, names, forks), losses by cause. Pure; called by the
// sampling session of the Linux device and by the fuzzer.
#pragma once
#include <string_view>
#include <vector>

#include "device/perf_events/ring_reader.h"
#include "import/perf_data/event_table.h"
#include "raw/samples.h"

namespace wperf::perf_events {

class RecordCollector {
 public:
  // `events`: in the order of the plan, with the ids that the kernel gave them.
  explicit RecordCollector(perf_data::EventTable events) : events_(std::move(events)) {}

  // Takes everything that the reader has. The tally goes on from where it was.
  void collect(RingReader& ring, u32 core, raw::SampleCapture& capture, raw::CoreTally& tally);

 private:
  perf_data::EventTable events_;
};

// The mappings with code that /proc/PID/maps lists, as if they had just happened.
void add_mappings(u32 process, std::string_view maps, std::vector<raw::Happening>& happenings);

}  // namespace wperf::perf_events
