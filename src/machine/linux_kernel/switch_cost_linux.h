// SPDX-License-Identifier: BSD-3-Clause
// Measures, with the events of a recording, how much time recording adds to each context switch.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "machine/perf_events/counter_linux.h"

namespace wperf::linux_kernel {

// Opens the recording's events, disabled, on one core, for this thread and threads that it starts later.
using OpenForThread = std::function<std::vector<perf_events::Descriptor>(perf_events::Scope scope)>;

// Nanoseconds for each switch, including the wake-up before it; nullopt if it cannot be measured on this machine, or if
// it is below the noise. Takes tens of milliseconds.
std::optional<u64> switch_cost_ns(const OpenForThread& open);

}  // namespace wperf::linux_kernel
