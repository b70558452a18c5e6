// SPDX-License-Identifier: BSD-3-Clause
// The SPE data of a perf.data file: decoded core by core, with each address of code moved to its file's canonical
// place, so that a function counts once in whatever process it ran; then named.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "app/show/report_options.h"
#include "formats/perf_data/aux_traces.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/answers/count_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::show {

// The SPE data of the file; nullopt if it has none. An empty run of wperf has data, too: its tables are empty.
std::optional<perf_data::AuxTraces> spe_traces(const perf_data::PerfFile& file);

// Also writes the file of --records.
struct ReadSpe {
  operations::SpeProfile profile;
  compat::CompatView view;                        // of the profile's samples
  std::optional<answers::CountProfile> counting;  // the counts of the same time; nullopt: there were none
  std::optional<diag::Error> trouble;             // the file of records is incomplete: the records read so far are good
};
diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                        const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
