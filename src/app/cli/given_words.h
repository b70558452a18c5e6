// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of one line as they were given, and what is said of those that change nothing. Called by
// command_line.cpp.
#pragma once
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace wperf::cli {

struct GivenOption {
  const OptionRow* row;
  std::string spelling, value;
};

struct GivenWords {
  std::vector<const CommandRow*> commands;  // without --version and --help
  std::vector<GivenOption> options;
};

// WindowsPerf has it. There an empty value is one, too.
bool is_of_windowsperf(Option option);

// Puts into request.warnings what changes nothing of what `request` asks for.
void warn_of_idle_words(const GivenWords& given, request::Request& request);

}  // namespace wperf::cli
