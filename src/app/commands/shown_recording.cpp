// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/shown_recording.h"

#include "app/commands/destinations.h"
#include "ground/os/files.h"

namespace wperf::commands {

request::Request shown_request(const request::Request& request, const measure::Recording& recording) {
  // A kept recording is shown under its name, as `report` shows it.
  request::Request shown = request;
  const std::string kept = kept_recording(request);
  if (os::file_exists(kept)) shown.data_file = kept;
  if (recording.trace.empty()) return shown;
  shown.data_file = recording.trace;
  shown.data_file_is_kept = !kept.empty();
  // A trace is of all programs.
  if (recording.sampled.pid != 0 && !request.sampling.whole_machine && shown.recording.pids.empty()) {
    shown.recording.pids = {recording.sampled.pid};
  }
  const request::Sampling& asked = request.sampling;
  if (!request.cores.empty() || (!asked.cores.empty() && !asked.all_cores)) {
    shown.recording.trace_cores = recording.plan.cores;
  }
  return shown;
}

}  // namespace wperf::commands
