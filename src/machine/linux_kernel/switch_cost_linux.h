// SPDX-License-Identifier: BSD-3-Clause
// The time that recording adds to each context switch, measured on this machine with the events of the recording.
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
