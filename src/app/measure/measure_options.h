// SPDX-License-Identifier: BSD-3-Clause
// The choices of a command that measures, made once from its request (commands/options_builder.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/request/measurement.h"
#include "model/request/recording_view.h"

namespace wperf::measure {

struct MeasureOptions {
  request::Measurement wanted;
  request::RecordingView view = {};               // may need callers, times or switches with the samples
  std::vector<std::string> arguments = {};        // the command line, for the recording
  std::string kept_file = {};                     // where the recording stays; empty: nowhere
  std::optional<std::string> output_folder = {};  // for files that the user did not name
  bool verbose = false;
  bool stdout_is_document = false;  // a started program must not write there
  bool needs_program = false;       // a running program that is not found is an error on every device
  bool live_waits = false;          // of `top`: traces are read for context switches, too
};

}  // namespace wperf::measure
