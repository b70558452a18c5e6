// SPDX-License-Identifier: BSD-3-Clause
// Samples in order of threads and time, for formats that keep each sample with its thread.
#pragma once
#include <vector>

#include "views/exports/exported_profile.h"

namespace wperf::exports {

struct ThreadSample {
  u64 time = 0;
  u32 row = 0, count = 0;
};

// The samples of one event in one task. A task without samples is one too if its states are known.
struct SampledThread {
  u32 task = 0, event = 0;
  bool has_marks = false;  // the task's marks; only one of its threads has them
  usize begin = 0, end = 0;
};

struct SamplesByThread {
  std::vector<ThreadSample> samples;
  std::vector<SampledThread> threads;
};

SamplesByThread samples_by_thread(const Source& source);

}  // namespace wperf::exports
