// SPDX-License-Identifier: BSD-3-Clause
// Facts in a recording about its machine.
#pragma once
#include "formats/perf_data/perf_file_layout.h"
#include "machine/perf_events/units.h"

namespace wperf::perf_events {

// All facts except build ids and the times of samples. `version`: the version of wperf.
perf_data::RecordingFacts recording_facts(const SystemFiles& files, const std::vector<Unit>& units,
                                          const std::string& version);

// The layout of these tracepoints' fields ("sched:sched_switch"), in perf's form. Empty if none of the tracepoints is
// known.
std::string tracing_data(const SystemFiles& files, std::span<const std::string> tracepoints);

}  // namespace wperf::perf_events
