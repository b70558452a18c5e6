// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of one line as they were given, and the warnings about those that have no effect.
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

// Adds warnings about words without effect on `request` to request.warnings.
void warn_of_idle_words(const GivenWords& given, request::Request& request);

}  // namespace wperf::cli
