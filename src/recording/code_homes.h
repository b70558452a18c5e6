// SPDX-License-Identifier: BSD-3-Clause
// Samples of many processes, each with its own memory that changes as they run, moved into one address space: every
// file gets one place ("home"), so that an address there says file and offset whoever ran it. Called by
// kernel_sample_profile and by the fuzzer.
#pragma once
#include <vector>

#include "import/perf_data/task_history.h"
#include "raw/samples.h"
#include "recording/recorded_jit.h"

namespace wperf::recording {

struct CodeHome {
  u32 code = perf_data::kNoCode;  // of the history; kNoCode: code that `process` described in a dump, by spots
  u32 process = 0;
  u64 first = 0;  // the offset (as CodePlace has it) or the spot's number that is at `home`
  u64 home = 0;
  u64 size = 0;  // less than 2^32
};

// Added to addresses in nothing that was mapped, so that they meet no file's home.
inline constexpr u64 kNowhere = u64{1} << 62;

// Moves the addresses of user samples home, or nowhere. Homes do not overlap. Files have one each even if nobody
// sampled them, in the order in which they were first mapped; then comes memory without a file that was.
std::vector<CodeHome> move_home(const perf_data::TaskHistory& history, RecordedJit& jit,
                                std::vector<raw::Sample>& samples);

}  // namespace wperf::recording
