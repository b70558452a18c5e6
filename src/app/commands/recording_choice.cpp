// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/recording_choice.h"

#include "app/commands/destinations.h"
#include "app/output/outputs.h"
#include "ground/os/files.h"

namespace wperf::commands {

diag::Result<std::string> choose_recording(const request::Request& request, diag::Console& console) {
  if (request.data_file.has_value()) return *request.data_file;
  constexpr const char* kUsualName = "perf.data";
  const std::string found = os::file_exists(kUsualName) ? kUsualName : os::youngest_file(".data");
  if (found.empty()) {
    return diag::Error{
        .text = "report needs a recording: no file is given, and the current folder has no perf.data or *.data",
        .hint = "wperf report FILE; create one with `wperf record -o perf.data -- PROGRAM`",
        .code = diag::ExitCode::usage};
  }
  // If stdout is a document, the choice is not reported, because stderr must be empty.
  if (is_told(request)) console.out("recording: " + found + "\n\n");
  return found;
}

}  // namespace wperf::commands
