// SPDX-License-Identifier: BSD-3-Clause
// The facts about the run in a perf.data file: its feature sections, and wperf's own measurements.
#pragma once
#include <optional>

#include "formats/perf_data/features.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"
#include "model/stacks/recording_about.h"

namespace wperf::recording {

// `run` is null if another program made the recording.
stacks::RecordingAbout recorded_about(const perf_data::Features& features,
                                      const std::optional<perf_data::RunFacts>& run);

// The kinds of cores on which the samples of a perf.data file were taken.

// Each kind is named after the core PMU listed in the file, or else after the PMU that counted the event. If the
// machine has only one kind of core, the kind is named after the processor.
stacks::CoreKinds recorded_core_kinds(const perf_data::PerfFile& file);

}  // namespace wperf::recording
