// SPDX-License-Identifier: BSD-3-Clause
#include "profile/sample_counting.h"

#include <algorithm>
#include <bit>

namespace wperf::profile {
namespace {

// A bound for memory: more slices than a chart has pixels help nobody.
constexpr u64 kMostSlices = 10'000;

class TimeAxis {
 public:
  explicit TimeAxis(const SampleRun& run) : start_ns_(run.start_ns), slices_(slices_of(run)) {}
  bool wanted() const { return slices_.count != 0; }
  u32 count() const { return slices_.count; }
  u32 slice_of(u64 time_ns) const {
    const u64 since = time_ns > start_ns_ ? time_ns - start_ns_ : 0;
    return static_cast<u32>(std::min<u64>(since / slices_.length_ns, slices_.count - 1));
  }

 private:
  u64 start_ns_;
  TimeSlices slices_;
};

void count_in_time(EventCounts& counts, u32 symbol, u32 slice, u32 slice_count) {
  if (symbol >= counts.over_time.size()) counts.over_time.resize(symbol + 1);
  std::vector<u32>& slices = counts.over_time[symbol];
  if (slices.empty()) slices.resize(slice_count);
  ++slices[slice];
}

}  // namespace

TimeSlices slices_of(const SampleRun& run) {
  if (run.slice_ns == 0 || run.end_ns <= run.start_ns) return {};
  const u64 time_ns = run.end_ns - run.start_ns;
  u64 length_ns = run.slice_ns;
  while ((time_ns - 1) / length_ns >= kMostSlices) length_ns *= 2;
  return {.count = static_cast<u32>((time_ns - 1) / length_ns + 1), .length_ns = length_ns};
}

std::vector<EventCounts> count_samples(const SampleColumns& samples, const SampleRun& run, const SamplePlaces& places,
                                       const std::vector<NamedPlace>& pcs, const std::vector<NamedPlace>& calls) {
  std::vector<EventCounts> events(run.events.size());
  for (EventCounts& counts : events) counts.of_place.resize(pcs.size());
  const u32 known_events = events.size() >= 32 ? ~u32{0} : (u32{1} << events.size()) - 1;
  const TimeAxis axis(run);
  for (usize i = 0; i < samples.pc.size(); ++i) {
    const u32 place = places.pc_of[i];
    const NamedPlace& pc = pcs[place];
    const u64 thread = u64{samples.process[i]} << 32 | samples.thread[i];
    for (u32 bits = samples.events[i] & known_events; bits != 0; bits &= bits - 1) {
      EventCounts& counts = events[static_cast<usize>(std::countr_zero(bits))];
      ++counts.samples;
      ++counts.of_place[place];
      ++counts.of_thread[thread];
      if (samples.core[i] >= counts.of_core.size()) counts.of_core.resize(samples.core[i] + usize{1});
      ++counts.of_core[samples.core[i]];
      if (!calls.empty() && place != kOtherProcess) {
        const u32 call = places.call_of[i];
        const u32 caller = call == kOtherProcess ? kNone : caller_of(pc, calls[call]);
        ++counts.of_caller[u64{pc.symbol} << 32 | caller];
      }
      if (axis.wanted()) count_in_time(counts, pc.symbol, axis.slice_of(samples.time_ns[i]), axis.count());
    }
  }
  return events;
}

}  // namespace wperf::profile
