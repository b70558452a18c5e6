// SPDX-License-Identifier: BSD-3-Clause
// The words that completion scripts offer, in the order of the tables; lists are separated by blanks.
#pragma once
#include <string>
#include <string_view>

#include "app/cli/options.h"

namespace wperf::cli {

// "-o|--output": the name of a command or option, and its alias.
template <typename Row>
std::string spellings(const Row& row, std::string_view separator) {
  std::string out(row.name);
  if (!row.alias.empty()) out.append(separator).append(row.alias);
  return out;
}

void append_word(std::string& list, std::string_view word);
std::string command_words();
std::string all_option_words();
// The commands that take file names without an option.
std::string file_commands(std::string_view separator);
// The words that the command takes in addition to options.
std::string own_words(const CommandRow& row);
// Everything that may follow the command.
std::string words_after(const CommandRow& command);

}  // namespace wperf::cli
