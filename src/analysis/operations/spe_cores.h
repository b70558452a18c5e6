// SPDX-License-Identifier: BSD-3-Clause
// The cores of a recording with SPE data: their kinds and their losses.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/recorded_records.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::operations {

// The MIDR of each core; 0 if the file does not have it.
std::vector<u64> midr_of_cores(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                               const std::optional<perf_data::RunFacts>& facts);

// The decoded cores, with the losses that the recording reports. `facts`: from the driver, if it made the recording.
std::vector<SpeCore> cores_of(const recording::DecodeStates& states, const perf_data::AuxTraces& traces,
                              const std::optional<perf_data::RunFacts>& facts);

// The kinds of cores whose data sources have no published names, each once.
std::vector<std::string> kinds_without_source_names(const recording::DecodeStates& states,
                                                    const std::vector<u64>& midrs);

}  // namespace wperf::operations
