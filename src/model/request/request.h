// SPDX-License-Identifier: BSD-3-Clause
// The user's request, as plain structs, checked only for contradictions: no device, catalogue or file was looked at.
// Only commands, the command line, the C API and the doctor's entry point know it; they hand on its parts, each with
// its own header.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/command_views.h"
#include "model/request/comparison_wishes.h"
#include "model/request/measurement.h"
#include "model/request/output_options.h"
#include "model/request/pgo_work.h"
#include "model/request/push_request.h"
#include "model/request/recording_view.h"

namespace wperf::request {

struct Request : Measurement {
  std::vector<std::string> arguments;  // as typed, without the program's name
  Outputs outputs;
  std::optional<std::string> man_topic;
  std::optional<std::string> schema_name;
  std::optional<std::string> data_file;    // read by `report` and `waits`
  bool data_file_is_kept = true;           // if false, its name is temporary, because the file was just recorded
  std::vector<std::string> further_files;  // of the same session
  std::optional<Program> second_program;   // compared by `bench` with the first
  std::optional<u32> runs;                 // -r: how often the program is counted; never 0
  RecordingView recording;
  WaitView waits;
  TopdownView topdown;
  LiveView live;
  DoctorWork doctor;
  MachineWork machine;
  McpWork mcp;
  Push push;
  PgoWork pgo;
  std::optional<std::string> listen;  // for stat: the ADDRESS:PORT that serves the counts
  Comparison comparison;
  std::optional<Command> help_topic;    // the command that help is to explain
  bool all_help = false;                // every command and option
  std::vector<std::string> unexpected;  // unknown tokens, to be warned about
  std::vector<std::string> warnings;    // whole lines for stderr that do not end the run
};

}  // namespace wperf::request
