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

// `drain` returns how much was collected, and is called repeatedly. Waits for `duration_ms` (0: until Ctrl-C or the end
// of process `pid`; `pid` 0: no process).
diag::Result<Collection> collect_samples(Machine& machine, u64 duration_ms, u32 pid, diag::Console& console,
                                         u64 drain_every_ns, const std::function<diag::Result<Collected>()>& drain);
// The end of the progress line.
void tell_collected(const Collection& collection, diag::Console& console);

}  // namespace wperf::measure
