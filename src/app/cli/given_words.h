// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of a line as the user typed them, and warnings about words without effect.
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

// Does WindowsPerf also have the option? Then it accepts an empty value.
bool is_of_windowsperf(Option option);

// Adds warnings about words without effect on `request`.
void warn_of_idle_words(const GivenWords& given, request::Request& request);

// The option that the user probably meant, for messages: "--timeout" for `--timeuot`, "--timeout 3" for `--timeout=3`;
// empty if no option is similar. Options of the command are preferred.
std::string meant_option(const std::string& word, request::Command command);

diag::Error no_command();
diag::Error unknown_command(const std::string& word);
diag::Error unknown_option(const std::string& word, std::optional<request::Command> command);
// The error for a word that is neither a command nor an option, and that the command does not take.
diag::Error unexpected_word(const std::string& word, request::Command command);
// The error for a second command. If the first one `starts` a program, the user may have meant the second one as that
// program.
diag::Error two_commands(const CommandRow& first, const CommandRow& second, bool starts);

}  // namespace wperf::cli
