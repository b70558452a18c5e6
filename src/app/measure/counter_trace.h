// SPDX-License-Identifier: BSD-3-Clause
// Sends the counters of a count to recorders of the system's events (contract 11.4). Called after each count of `stat`.
#pragma once
#include <functional>

#include "ground/os/counter_events.h"
#include "model/answers/count_profile.h"

namespace wperf::measure {

// Does nothing unless a recorder listens.
void trace_counters(const answers::CountProfile& profile);
// The events themselves: one per counter, by class, unit and row.
void for_each_counter(const answers::CountProfile& profile, const std::function<void(const os::CounterEvent&)>& visit);

}  // namespace wperf::measure
