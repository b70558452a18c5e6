// SPDX-License-Identifier: BSD-3-Clause
// Joins stacks that are in pieces in a recording.
//
// Kernels from 6.19 on may delay the user part of a call chain until the thread returns to its program. The sample then
// ends with a mark and a cookie, and one record with that cookie serves all samples of the thread up to then. A copy of
// a stack may end before the stack does; then a chain of frame pointers that was recorded with it continues it.
#pragma once
#include <unordered_map>
#include <vector>

#include "formats/perf_data/perf_file.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

class DeferredStacks {
 public:
  // Reads the whole file if one of its events defers parts of stacks.
  explicit DeferredStacks(const perf_data::PerfFile& file);

  // The user part of the sample's stack was delayed.
  static bool is_put_off(const perf_data::Sample& sample);
  // Appends that part. Returns false if no record of the sample's thread has its cookie.
  bool append_to(std::vector<stacks::StackFrame>& frames, const perf_data::Sample& sample) const;

 private:
  struct Part {
    u32 tid = 0;
    bytes::Words chain;  // the chain in the file
  };
  std::unordered_map<u64, Part> parts_;  // by cookie
};

// `unwound`: callers found in a copy of a stack that was too short. `pointers`: the same stack by frame pointers, which
// may lack some of them. Appends the callers after the last one that both contain. Returns false if they have none in
// common, or if no caller follows it.
bool continue_by_pointers(std::vector<u64>& unwound, const std::vector<u64>& pointers);

}  // namespace wperf::recording
