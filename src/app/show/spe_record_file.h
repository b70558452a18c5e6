// SPDX-License-Identifier: BSD-3-Clause
// --records FILE or -: writes each SPE record as a line with names. The bytes are decoded again for this, after the
// addresses have names.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "app/show/report_options.h"
#include "formats/spe/aggregator.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

using RecordSink = std::function<void(const spe::Origin&, const spe::Record&)>;
// Repeats the records, in runs that can be read in parallel: replay(first, last, sink) passes the records of these runs
// to `sink`, and returns false if a record continues in the next run.
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
