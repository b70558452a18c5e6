// SPDX-License-Identifier: BSD-3-Clause
// The costs of this process for the machine so far. For commands that run for a long time.
#pragma once
#include "base/ints.h"

namespace wperf::os {

struct OwnCost {
  u64 cpu_ns = 0;          // of all threads, in user and kernel mode
  u64 resident_bytes = 0;  // memory that it holds now; 0: the system does not say
  u64 most_bytes = 0;      // the most memory that it had at once
};

OwnCost own_cost();

}  // namespace wperf::os
