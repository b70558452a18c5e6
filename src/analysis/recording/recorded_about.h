// SPDX-License-Identifier: BSD-3-Clause
// What a perf.data file tells of its run: its feature sections, and what wperf measured. Called by recorded_samples.
#pragma once
#include <optional>

#include "formats/perf_data/features.h"
#include "formats/perf_data/run_facts.h"
#include "model/stacks/recording_about.h"

namespace wperf::recording {

// `run`: none, the recording is somebody else's.
stacks::RecordingAbout recorded_about(const perf_data::Features& features,
                                      const std::optional<perf_data::RunFacts>& run);

}  // namespace wperf::recording
