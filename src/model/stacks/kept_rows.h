// SPDX-License-Identifier: BSD-3-Clause
// A part of a profile as a profile of its own, with its moments. Called by commands for what shows all that it is
// given.
#pragma once
#include <functional>

#include "model/stacks/moments.h"
#include "model/stacks/stack_rows.h"

namespace wperf::stacks {

// Leaves out the other samples. Events count what is left.
void keep_rows(const std::function<bool(const StackSample&)>& keep, StackProfile& profile, Moments& moments);
// What a filter leaves: samples, and of the threads that it names their states.
void keep_chosen(const StackFilter& filter, StackProfile& profile, Moments& moments);

}  // namespace wperf::stacks
