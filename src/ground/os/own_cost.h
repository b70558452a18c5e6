// SPDX-License-Identifier: BSD-3-Clause
// What this process has cost the machine so far. Called by commands that run for long beside others' work.
#pragma once
#include "base/ints.h"

namespace wperf::os {

struct OwnCost {
  u64 cpu_ns = 0;          // of all its threads, in user and kernel mode
  u64 resident_bytes = 0;  // memory that it holds now; 0: the system does not say
  u64 most_bytes = 0;      // that it held at once
};

OwnCost own_cost();

}  // namespace wperf::os
