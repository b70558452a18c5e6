// SPDX-License-Identifier: BSD-3-Clause
// Reads the SPE data of a perf.data file: decodes it core by core, replaces each code address by the canonical address,
// so that a function is one row for all processes, and names the addresses.
#pragma once
#include <optional>

#include "analysis/operations/spe_profile.h"
#include "app/show/report_options.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/spe/aggregator.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/answers/count_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::show {

// The SPE data of the file; nullopt if it has none. A run of wperf without records also has data; its tables are empty.
std::optional<perf_data::AuxTraces> spe_traces(const perf_data::PerfFile& file);

// Warns if --time drops all records because their times are not known.
void warn_of_missing_times(const perf_data::AuxTraces& traces, const ReportOptions& options, diag::Console& console);

// Reads and names the data. Also writes the file of --records.
struct ReadSpe {
  operations::SpeProfile profile;
  compat::CompatView view;                        // of the profile's samples
  std::optional<answers::CountProfile> counting;  // counts from the same run; nullopt if there are none
  // the file of --records is incomplete; its records up to the error are valid
  std::optional<diag::Error> error;
};
diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                        const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
