// SPDX-License-Identifier: BSD-3-Clause
// The ends of threads in a recording of switches, and threads that go on under another number. Pure.
//
// An exec in a thread other than the first one of its process ends all others. The thread goes on under the number of
// the first one, which has ended: from its first switch with that number, at the latest from the record of the exec.
#pragma once
#include <functional>
#include <vector>

#include "model/stacks/switches.h"

namespace wperf::recording {

struct Exec {
  u64 time = 0;
  u32 process = 0;
};

struct ThreadEnds {
  std::vector<stacks::Switch> exits;
  std::vector<Exec> execs;
  // The last switch of a thread comes after its end, unless the recording stopped in between. Otherwise nothing comes
  // after it.
  bool of_whole_cores = true;
};

// The process of a thread; 0 if not known.
using ProcessOf = std::function<u32(u32 thread)>;

// `switches`: by time, before and after.
void settle_ends(ThreadEnds ends, const ProcessOf& process_of, std::vector<stacks::Switch>& switches);

}  // namespace wperf::recording
