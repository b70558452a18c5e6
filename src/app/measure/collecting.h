// SPDX-License-Identifier: BSD-3-Clause
// Waits during sampling: drains the buffers often enough, shows progress, and stops on Ctrl-C or when the program ends.
// Used for sampling with counters and with SPE.
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
  std::optional<diag::Error> error;  // the program crashed; the samples before that are valid
};

// Totals since the beginning.
struct Collected {
  u64 amount = 0;
  bool in_bytes = true;  // false: counted in samples
  u64 lost = 0;          // lost samples, if known at that time
  u64 next_ns = 0;       // how long to wait before the next drain; 0: the default
};

inline constexpr u64 kSampleDrainNs = 100'000'000;  // the ring buffers are large enough for this time
inline constexpr u64 kSpeDrainNs = 10'000'000;      // a core writes megabytes in this time

// When sampling ends, if Ctrl-C does not end it earlier.
struct StopCondition {
  u64 duration_ms = 0;  // 0: no limit
  u32 pid = 0;          // ends with this process; 0: no process
};

// Called repeatedly; returns how much was collected.
struct Drain {
  u64 every_ns;
  std::function<diag::Result<Collected>()> drain;
};
diag::Result<Collection> collect_samples(OpenedMachine& machine, const StopCondition& until, const Drain& drain,
                                         diag::Console& console);
// Prints the end of the progress line.
void print_end_of_collection(const Collection& collection, const OpenedMachine& machine, diag::Console& console);

}  // namespace wperf::measure
