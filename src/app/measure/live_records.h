// SPDX-License-Identifier: BSD-3-Clause
// Pieces of a perf.data file that grows, sorted into samples, which belong to a stretch of time, and what else the
// kernel told, which is true from then on. Called by live_sampling.
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ints.h"
#include "formats/perf_data/perf_file_layout.h"

namespace wperf::measure {

class LiveRecords {
 public:
  // `beginning`: the header of the file and its list of events, up to the first record. Nothing of another file stays.
  // `pid_offset`: where in a sample the number of its process is; 0: it has none. `facts`: of the machine, to be told
  // by each file that is made, as by one that a recording has ended.
  void begin(std::span<const std::byte> beginning, usize pid_offset, perf_data::RecordingFacts facts = {});
  void begin_stretch(u64 most_bytes);
  // Whole records. False: they are none.
  bool take(std::span<const std::byte> records);

  usize kept() const { return stretches_.size(); }
  u64 told_bytes() const { return told_.size(); }
  // A file of so many stretches, the newest of those that are left when some newer ones are not wanted; with what
  // was told of their processes: of a machine that starts programs all the time, that is a small part of all.
  std::vector<std::byte> file(usize stretches, usize newest_left_out) const;

 private:
  struct Told {
    usize begin = 0, size = 0;
    u32 pid = 0;
  };
  std::unordered_set<u32> processes_of(usize first, usize end) const;
  void tell(u32 type, std::span<const std::byte> record);

  std::vector<std::byte> beginning_, told_;
  perf_data::RecordingFacts facts_;
  std::vector<Told> each_told_;
  std::unordered_multimap<u32, u32> parents_;  // of processes that were forked: they have what those had
  usize pid_offset_ = 0;
  std::deque<std::vector<std::byte>> stretches_;
};

}  // namespace wperf::measure
