// SPDX-License-Identifier: BSD-3-Clause
// Divides a growing perf.data file into samples, which belong to a look (a refresh interval of `top`), and the kernel's
// other records, which remain valid.
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
  // `beginning`: the file from its header up to the first record. Replaces the data of an earlier file. `pid_offset`:
  // position of the process id in a sample; 0: samples have none. `facts`: about the machine, written to each file as
  // in a finished recording.
  void begin(std::span<const std::byte> beginning, usize pid_offset, perf_data::RecordingFacts facts = {});
  void begin_look(u64 most_bytes);
  // Sets the section with JIT code that samples refer to, the last of the facts.
  void set_jit_code(std::string section) { facts_.jit_code = std::move(section); }
  // Takes whole records. Returns false if they are not records.
  bool take(std::span<const std::byte> records);

  usize kept() const { return looks_.size(); }
  u64 sideband_bytes() const { return sideband_.size(); }
  // Returns a file with this many looks: the newest ones, after skipping `newest_left_out` looks. It includes only
  // records about the processes in these looks, because a machine that starts programs all the time has many others.
  std::vector<std::byte> file(usize looks, usize newest_left_out) const;

 private:
  struct RecordRange {
    usize begin = 0, size = 0;
    u32 pid = 0;
  };
  std::unordered_set<u32> processes_of(usize first, usize end) const;
  void keep_sideband(u32 type, std::span<const std::byte> record);

  std::vector<std::byte> beginning_, sideband_;
  perf_data::RecordingFacts facts_;
  std::vector<RecordRange> sideband_ranges_;
  // child → parent of forked processes, because a child also has the modules of its parent
  std::unordered_multimap<u32, u32> parents_;
  usize pid_offset_ = 0;
  std::deque<std::vector<std::byte>> looks_;
};

}  // namespace wperf::measure
