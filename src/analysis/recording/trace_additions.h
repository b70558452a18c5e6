// SPDX-License-Identifier: BSD-3-Clause
// Adds facts to a trace that Windows leaves out and that are not available on another machine: the PDB of each image,
// the drives, when events were lost, and functions of Python programs. These are appended to the trace as events.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "formats/etl/kernel_events.h"
#include "ground/diag/result.h"

namespace wperf::recording {

// The user part of the stack, with Python functions, for the event with this thread and time (in ticks).
struct PythonStack {
  u64 time = 0;
  u32 process = 0, thread = 0;
  std::vector<u64> frames;
};

struct TraceAdditions {
  std::vector<std::pair<std::string, std::string>> volumes;  // pairs of device (\Device\HarddiskVolume3) and drive (C:)
  std::vector<etl::write::LossSpan> losses;                  // reported during the recording
  std::vector<PythonStack> python_stacks = {};
  // Sections as in perf.data files: their numbers and bytes.
  std::vector<std::pair<u32, std::string>> sections = {};
};
// Returns the processes of the trace: pairs of parent and child.
diag::Result<std::vector<std::pair<u32, u32>>> complete_trace(const std::string& trace_path,
                                                              const TraceAdditions& additions);

}  // namespace wperf::recording
