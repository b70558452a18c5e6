// SPDX-License-Identifier: BSD-3-Clause
// Reads profiles from a server (ClickHouse or Pyroscope), which adds them up. The user gives their address on the
// command line.
#pragma once
#include <string>

#include "analysis/recording/opened_recording.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/push_request.h"

namespace wperf::fleet {

enum class Detail : u8 { sums, hosts };  // hosts: the samples of each host are separate

struct Opened {
  recording::OpenedRecording recording;
  std::string summary;  // "1,000 profiles of 50 hosts, …"; empty for a file
};

// Opens a file or the address of a server. `access`: the token, as for sending profiles. Returns an error if the server
// has no such profile.
diag::Result<Opened> open_any(const recording::RecordingFiles& files, const request::Push& access, Detail detail,
                              diag::Console& console);

}  // namespace wperf::fleet
