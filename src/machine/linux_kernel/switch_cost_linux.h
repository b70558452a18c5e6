// SPDX-License-Identifier: BSD-3-Clause
// The measured cost of recording a thread's switches: two threads of this process on one core wake each other, once
// with the events of a recording and once without.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "machine/perf_events/counter_linux.h"

namespace wperf::linux_kernel {

// Opens the events of a recording, switched off, for this thread and those that it starts afterwards, on one core.
using OpenForThread = std::function<std::vector<perf_events::Descriptor>(perf_events::Scope scope)>;

// Nanoseconds for each switch, including the wake-up before it; nullopt if it cannot be measured here, or if it is lost
// in noise. Takes some ten milliseconds.
std::optional<u64> switch_cost_ns(const OpenForThread& open);

}  // namespace wperf::linux_kernel
