// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of one line as they were given, and the warnings about those that have no effect.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

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

// Messages about unknown words name the word that may have been meant: "--timeout" for `--timeuot`, "--timeout 3" for
// `--timeout=3`; empty: no option is similar. Options of the command are preferred to those of others.
std::string meant_option(const std::string& word, request::Command command);

diag::Error no_command();
diag::Error unknown_command(const std::string& word);
diag::Error unknown_option(const std::string& word, std::optional<request::Command> command);
// An error for a word that is neither a command nor an option, and that the command does not take.
diag::Error unexpected_word(const std::string& word, request::Command command);
// The second may be meant as the program to start, where the first `starts` one.
diag::Error two_commands(const CommandRow& first, const CommandRow& second, bool starts);

}  // namespace wperf::cli
