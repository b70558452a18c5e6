// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/completion_words.h"

#include <algorithm>

#include "app/cli/help.h"
#include "views/schemas/schemas.h"

namespace wperf::cli {
namespace {

// Does the command read files that are named without an option?
bool reads_files(const CommandRow& row) {
  return row.argument.find("FILE") != row.argument.npos || row.argument.find("BEFORE") != row.argument.npos;
}

}  // namespace

void append_word(std::string& list, std::string_view word) {
  if (!list.empty()) list += ' ';
  list += word;
}

std::string command_words() {
  std::string words;
  for (const CommandRow& row : command_rows()) append_word(words, spellings(row, " "));
  append_word(words, kHelpWord);
  return words;
}

std::string file_commands(std::string_view separator) {
  std::string names;
  for (const CommandRow& row : command_rows()) {
    if (reads_files(row)) names.append(names.empty() ? "" : separator).append(row.name);
  }
  return names;
}

std::string own_words(const CommandRow& row) {
  std::string words;
  if (row.command == request::Command::machine) {
    words = row.argument;
    std::replace(words.begin(), words.end(), '|', ' ');
  }
  if (row.command == request::Command::schema) {
    for (const schemas::Schema& schema : schemas::all()) append_word(words, schema.name);
  }
  return words;
}

std::string words_after(const CommandRow& command) {
  std::string words = own_words(command);
  for (const OptionRow& row : option_rows()) {
    if (row.commands.has(command.command)) append_word(words, spellings(row, " "));
  }
  return words;
}

std::string all_option_words() {
  std::string words;
  for (const OptionRow& row : option_rows()) append_word(words, spellings(row, " "));
  return words;
}

}  // namespace wperf::cli
