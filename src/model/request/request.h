// SPDX-License-Identifier: BSD-3-Clause
// The user's request as plain structs. It is checked only for contradictions, without looking at devices, catalogues or
// files. Only the commands, the command line, the C API and the doctor's entry point use the whole request; all other
// code uses only parts of it, which have separate headers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/command_views.h"
#include "model/request/comparison_request.h"
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
  std::optional<std::string> data_file;    // the file that `report` or `waits` reads
  bool data_file_is_kept = true;           // false: the file was just recorded under a temporary name
  std::vector<std::string> further_files;  // more files of the same session
  std::optional<Program> second_program;   // the program that `bench` compares with the first one
  std::optional<u32> runs;                 // -r: how often to count the program; never 0
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
  std::optional<Command> help_topic;    // the command that help explains
  bool all_help = false;                // help on every command and option
  std::vector<std::string> unexpected;  // unknown words, for a warning
  std::vector<std::string> warnings;    // whole lines for stderr; the run goes on
};

}  // namespace wperf::request
