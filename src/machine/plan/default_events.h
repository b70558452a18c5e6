// SPDX-License-Identifier: BSD-3-Clause
// The events that are counted if the user names none: by `stat` where the system's kernel counts, by `bench`
// everywhere.
#pragma once
#include "machine/plan/kernel_words.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"

namespace wperf::plan {

// No event was named, but a program, a process, cores or a time was.
bool wants_default_events(const request::Measurement& wanted);
// For a program, or else for cores. An event is left out if the machine does not count it or this user may not.
request::EventList default_events(const KernelEvents& kernel, bool of_program);
// For a driver, which counts cycles by itself: the most wanted events that all cores of the machine have, as many as
// can be counted at once.
request::EventList default_events(const Capabilities& machine);

}  // namespace wperf::plan
