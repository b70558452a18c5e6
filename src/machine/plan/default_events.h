// SPDX-License-Identifier: BSD-3-Clause
// The events that are counted if the user names none: in `stat` if the system's kernel counts, and in every `bench`.
#pragma once
#include "machine/plan/kernel_words.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"

namespace wperf::plan {

// True if a program, a process, cores or a time was named, but no event.
bool wants_default_events(const request::Measurement& wanted);
// For a program if `of_program` is set, otherwise for cores. An event is left out if the machine cannot count it or
// this user may not count it.
request::EventList default_events(const KernelEvents& kernel, bool of_program);
// For a driver, which always counts cycles: the most useful events that all cores of the machine have, as many as can
// be counted at once.
request::EventList default_events(const Capabilities& machine);

}  // namespace wperf::plan
