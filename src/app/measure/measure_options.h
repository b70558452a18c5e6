// SPDX-License-Identifier: BSD-3-Clause
// The options of a command that measures, made once from its request (commands/options_builder.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/request/measurement.h"
#include "model/request/recording_view.h"

namespace wperf::measure {

struct MeasureOptions {
  request::Measurement wanted;
  request::RecordingView view = {};               // may require callers, times or switches
  std::vector<std::string> arguments = {};        // the command line, stored in the recording
  std::string kept_file = {};                     // where to keep the recording; empty: not kept
  std::optional<std::string> output_folder = {};  // for files that the user did not name
  bool verbose = false;
  bool stdout_is_document = false;  // a started program must not write to stdout
  bool needs_program = false;       // it is an error on every device if a running program is not found
  bool live_waits = false;          // for `top`: traces are also read for context switches
};

}  // namespace wperf::measure
