// SPDX-License-Identifier: BSD-3-Clause
// What `stat` counts where the system's kernel counts and no event was named. Called by count_plan.
#pragma once
#include "plan/kernel_events.h"
#include "request/request.h"

namespace wperf::plan {

// Nothing was named, but what to measure was: a program, a process, cores or a time.
bool wants_default_events(const request::Request& request);
// Of a program, or else of cores. Each is left out where the machine does not count it or this user may not.
request::EventList default_events(const KernelEvents& kernel, bool of_program);

}  // namespace wperf::plan
