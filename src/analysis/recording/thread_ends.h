// SPDX-License-Identifier: BSD-3-Clause
// The ends of threads in a recording of switches, and threads that continue under another number. Pure.
//
// If a thread that is not the first one of its process calls exec, all other threads end. The calling thread takes over
// the number of the first thread: from its first switch with that number on, or from the exec record on if that comes
// earlier.
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
  // The last switch of a thread comes after its end, unless the recording stopped in between. If only some threads are
  // recorded, their ends have no such switch.
  bool of_whole_cores = true;
};

// The process of a thread; 0 if not known.
using ProcessOf = std::function<u32(u32 thread)>;

// `switches` are ordered by time, before and after the call.
void settle_ends(ThreadEnds ends, const ProcessOf& process_of, std::vector<stacks::Switch>& switches);

}  // namespace wperf::recording
