// SPDX-License-Identifier: BSD-3-Clause
// The times in a recording's records, collected while samples are read: stacks::Moments without the states of threads.
#pragma once
#include <algorithm>
#include <map>

#include "formats/perf_data/kernel_records.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

class MomentReader {
 public:
  // Adds a counted sample. Its row comes from the SampleTally, which counts samples in the same order.
  void add_time(u64 time_ns, bool keep) {
    if (keep) moments_.samples.times_ns.push_back(time_ns);
    note(time_ns);
  }
  // Adds the increase, since the previous sample, of a counter that is read with samples.
  void add_count(u32 event, u32 core, u64 time_ns, u64 grown);
  void add(const perf_data::Comm& comm);
  void add(const perf_data::Task& task);
  void add(const perf_data::Lost& lost) { add_loss(lost.identity, lost.records, "records"); }
  void add(const perf_data::LostSamples& lost) { add_loss(lost.identity, lost.samples, "samples"); }

  // Called after everything was added. `events`: has the names of the counters.
  stacks::Moments finish(stacks::GrowingArray<u32> rows, const std::vector<stacks::StackEvent>& events);

 private:
  void note(u64 time_ns) {
    if (time_ns == 0) return;
    moments_.begin_ns = moments_.end_ns == 0 ? time_ns : std::min(moments_.begin_ns, time_ns);
    moments_.end_ns = std::max(moments_.end_ns, time_ns);
  }
  void add_loss(const perf_data::Identity& identity, u64 count, const char* what);

  stacks::Moments moments_;
  std::map<std::pair<u32, u32>, u32> tracks_;  // by event and core
  std::vector<u32> event_of_track_;
};

}  // namespace wperf::recording
