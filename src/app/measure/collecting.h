// SPDX-License-Identifier: BSD-3-Clause
// Time passes while something samples: its buffers are drained often enough, the user sees that samples come, Ctrl-C
// and the end of the program end it. The same for samples by overflow and by SPE.
#pragma once
#include <functional>
#include <optional>

#include "app/measure/counting.h"
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::measure {

struct Collection {
  WaitEnd end = WaitEnd::time;
  std::optional<diag::Error> trouble;  // the program crashed; the samples taken until then are good
};

// Since the beginning.
struct Collected {
  u64 amount = 0;
  bool in_bytes = true;  // false: counted in samples
  u64 lost = 0;          // samples, where that is known by then
  u64 next_ns = 0;       // how soon to drain again; 0: after the usual time
};

inline constexpr u64 kSampleDrainNs = 100'000'000;  // the rings of samples are made for this
inline constexpr u64 kSpeDrainNs = 10'000'000;      // a core fills megabytes in that time

// When sampling ends, unless Ctrl-C ends it earlier.
struct Until {
  u64 duration_ms = 0;  // 0: no limit
  u32 pid = 0;          // the end of this process; 0: no process
};

// Called repeatedly; returns how much was collected.
struct Drain {
  u64 every_ns;
  std::function<diag::Result<Collected>()> drain;
};
diag::Result<Collection> collect_samples(Machine& machine, const Until& until, const Drain& drain,
                                         diag::Console& console);
// The end of the progress line.
void tell_collected(const Collection& collection, diag::Console& console);

}  // namespace wperf::measure
