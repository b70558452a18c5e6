// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/measure_options_builder.h"

#include "app/commands/destinations.h"

namespace wperf::commands {

measure::MeasureOptions measure_options(const request::Request& request) {
  return {.wanted = request,
          .view = request.recording,
          .arguments = request.arguments,
          .kept_file = kept_recording(request),
          .output_folder = request.outputs.directory,
          .verbose = request.outputs.verbose,
          .stdout_is_document = stdout_is_document(request),
          .needs_program = request.push.url.has_value(),
          .live_waits = request.live.waits};
}

}  // namespace wperf::commands
