// SPDX-License-Identifier: BSD-3-Clause
// The user's recording, opened in any form: perf.data of either byte order, packed, through a pipe, in several files; a
// trace of Windows, in several files or in a zip file; a profile of another program; or counts.
#pragma once
#include <functional>

#include "formats/etl/trace.h"
#include "formats/perf_data/perf_file.h"
#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/stat_counts.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::recording {

// A profile that another program wrote; unpacked if it was packed.
struct OpenedProfile {
  profiles::Format format;
  bytes::Span bytes;
  profiles::TellPassed passed;  // releases bytes that were read, and shows progress
};

struct RecordingUses {
  std::function<diag::Result<void>(const perf_data::PerfFile&)> of_perf;
  std::function<diag::Result<void>(const etl::Trace&)> of_trace;
  // None: there is nothing in it for this.
  std::function<diag::Result<void>(const OpenedProfile&)> of_profile = {};
  std::function<diag::Result<void>(const profiles::StatCounts&)> of_counts = {};  // for `stat --json`
};

// Request::data_file and further_files. Losses in the file are reported before it is used; progress is shown while it
// is read.
diag::Result<void> use_recording(const request::Request& request, diag::Console& console, const RecordingUses& uses);

// An error with the file's name in front.
diag::Error in_file(const std::string& file, diag::Error error);

}  // namespace wperf::recording
