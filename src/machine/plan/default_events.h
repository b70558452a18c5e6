// SPDX-License-Identifier: BSD-3-Clause
// What is counted where no event was named: by `stat` where the system's kernel counts, by `bench` everywhere. Called
// by count_plan and run_bench.
#pragma once
#include "machine/plan/kernel_words.h"
#include "machine/plan/plan.h"
#include "model/request/request.h"

namespace wperf::plan {

// Nothing was named, but what to measure was: a program, a process, cores or a time.
bool wants_default_events(const request::Request& request);
// Of a program, or else of cores. Each is left out where the machine does not count it or this user may not.
request::EventList default_events(const KernelEvents& kernel, bool of_program);
// Of a driver, which counts cycles by itself: what most want to know, as many as are counted at once, of what all the
// machine's cores know.
request::EventList default_events(const Capabilities& machine);

}  // namespace wperf::plan
