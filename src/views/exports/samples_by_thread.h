// SPDX-License-Identifier: BSD-3-Clause
// Samples ordered by thread and time, for formats that store samples by thread.
#pragma once
#include <vector>

#include "views/exports/exported_profile.h"

namespace wperf::exports {

struct ThreadSample {
  u64 time = 0;
  u32 row = 0, count = 0;
};

// The samples of one event in one task. There is also an entry without samples for a task with known states.
struct SampledThread {
  u32 task = 0, event = 0;
  bool has_marks = false;  // has the task's marks; only one entry of a task has them
  usize begin = 0, end = 0;
};

struct SamplesByThread {
  std::vector<ThreadSample> samples;
  std::vector<SampledThread> threads;
};

SamplesByThread samples_by_thread(const Source& source);

}  // namespace wperf::exports
