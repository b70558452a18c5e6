// SPDX-License-Identifier: BSD-3-Clause
// The counters of a count, told to whoever records the system's events (contract 11.4). Called after each count of
// `stat`.
#pragma once
#include <functional>

#include "ground/os/counter_events.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Nothing happens unless somebody listens.
void trace_counters(const answers::CountProfile& profile);
// The events themselves: one per counter, by class, unit and row.
void for_each_counter(const answers::CountProfile& profile, const std::function<void(const os::CounterEvent&)>& visit);

}  // namespace wperf::measure
