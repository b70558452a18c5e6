// SPDX-License-Identifier: BSD-3-Clause
// Profiles that a server keeps, asked for by an address of the command line and added up there: ClickHouse, Pyroscope.
#pragma once
#include <string>

#include "analysis/recording/opened_recording.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/push_request.h"

namespace wperf::fleet {

enum class Detail : u8 { sums, hosts };  // hosts: the samples of each host are kept apart

struct Opened {
  recording::OpenedRecording recording;
  std::string summary;  // "1,000 profiles of 50 hosts, …"; empty for a file
};

// A file, or the address of a server. `access`: the token, as for sending. No such profile is an error.
diag::Result<Opened> open_any(const recording::RecordingFiles& files, const request::Push& access, Detail detail,
                              diag::Console& console);

}  // namespace wperf::fleet
