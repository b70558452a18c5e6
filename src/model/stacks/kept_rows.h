// SPDX-License-Identifier: BSD-3-Clause
// A part of a profile as a separate profile, with its moments. For views that show all rows they get.
#pragma once
#include <functional>

#include "model/stacks/moments.h"
#include "model/stacks/stack_rows.h"

namespace wperf::stacks {

// Leaves out the other samples. The events' sums are those of the kept ones.
void keep_rows(const std::function<bool(const StackSample&)>& keep, StackProfile& profile, Moments& moments);
// The rows that pass a filter: samples, and for the threads that it names their states.
void keep_chosen(const StackFilter& filter, StackProfile& profile, Moments& moments);

}  // namespace wperf::stacks
