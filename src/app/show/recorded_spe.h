// SPDX-License-Identifier: BSD-3-Clause
// The SPE data of a perf.data file: decodes it core by core, replaces each address of code by the canonical one, so
// that a function counts once for all processes, and names the addresses.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "app/show/report_options.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/spe/aggregator.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/answers/count_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::show {

// The SPE data of the file; nullopt if it has none. An empty run of wperf also has data; its tables are empty.
std::optional<perf_data::AuxTraces> spe_traces(const perf_data::PerfFile& file);

// Reads and names the data. Also writes the file of --records.
struct ReadSpe {
  operations::SpeProfile profile;
  compat::CompatView view;                        // of the profile's samples
  std::optional<answers::CountProfile> counting;  // counts from the same time; nullopt if there are none
  std::optional<diag::Error> trouble;             // the file of records is incomplete; the records before that are
                                                  // valid
};
diag::Result<ReadSpe> read_recorded_spe(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                        const ReportOptions& options, diag::Console& console);

// --records FILE or -: every SPE record on a line, with names. The bytes are decoded again for it, after the addresses
// have names.
using RecordSink = std::function<void(const spe::Origin&, const spe::Record&)>;
// Repeats the records in runs that can be read in parallel: replay(first, last, sink) passes those of some runs to
// `sink`. Returns false if a record continues in the next run.
struct RecordRuns {
  usize count = 1;
  std::function<bool(usize first, usize last, const RecordSink&)> replay;
};

struct RecordsRequest {
  std::string path;   // "-": to the console
  bool json = false;  // otherwise CSV
  std::vector<u64> midr_of_core;
  std::function<u64(u64 ticks)> to_ns;  // empty: times are ticks
};
// Where and in which form to write --records.
RecordsRequest records_request(const ReportOptions& options, std::vector<u64> midr_of_core);
diag::Result<void> write_records(const RecordsRequest& request, const operations::SpeProfile& profile,
                                 const RecordRuns& runs, diag::Console& console);

}  // namespace wperf::show
