// SPDX-License-Identifier: BSD-3-Clause
// What a recording says of the machine it was made on. Called by the recording session of the Linux device.
#pragma once
#include "formats/perf_data/perf_file_layout.h"
#include "machine/perf_events/units.h"

namespace wperf::perf_events {

// All but the build ids and the times of samples. `version`: of the tool.
perf_data::RecordingFacts recording_facts(const SystemFiles& files, const std::vector<Unit>& units,
                                          const std::string& version);

// How the fields of these tracepoints ("sched:sched_switch") lie in their samples, as perf writes it. Empty: nothing is
// known of any.
std::string tracing_data(const SystemFiles& files, std::span<const std::string> tracepoints);

}  // namespace wperf::perf_events
