// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/help.h"

#include "app/cli/terminal_text.h"

namespace wperf::cli {
namespace {

constexpr usize kIndent = 4;

std::string heading(std::string_view title) {
  return "\n" + std::string(title) + ":\n";
}

// The name of an option must be the only text on its line (contract 8.2), so the name of the value is in the
// explanation.
std::string entry(std::string_view name, std::string_view value_name, std::string_view help) {
  std::string text(help);
  if (!value_name.empty()) text = std::string(value_name) + ": " + text;
  return std::string(kIndent, ' ') + std::string(name) + "\n" + wrap_words(text, 2 * kIndent);
}

bool is_option(const CommandRow& row) {
  return row.name[0] == '-';
}

std::string synopsis() {
  std::string out;
  for (const CommandRow& row : command_rows()) {
    const std::string start = std::string(kIndent, ' ') + "wperf " + std::string(row.name) + " ";
    out += wrap_pieces(usage_pieces(row), start, 3 * kIndent);
  }
  return out;
}

std::string commands() {
  std::string out;
  for (const CommandRow& row : command_rows()) {
    if (!is_option(row)) out += entry(shown_name(row), row.argument, row.help);
  }
  return out;
}

std::string options() {
  std::string out;
  for (const CommandRow& row : command_rows()) {
    if (is_option(row)) out += entry(shown_name(row), row.argument, row.help);
  }
  for (const OptionRow& row : option_rows()) out += entry(shown_name(row), row.value_name, row.help);
  out += entry("--", "PROGRAM ARGUMENTS...",
               "The program that stat or record starts. The rest of the line is passed to it.");
  return out;
}

template <typename Row>
std::string aliases(std::span<const Row> rows) {
  std::string out;
  for (const Row& row : rows) {
    if (row.alias_apart) out += entry(row.alias, "", "The same as `" + std::string(row.name) + "`.");
  }
  return out;
}

}  // namespace

std::vector<std::string> usage_pieces(const CommandRow& command) {
  std::vector<std::string> pieces;
  if (!command.argument.empty()) pieces.emplace_back(command.argument);
  for (const OptionRow& row : option_rows()) {
    if (row.commands.has(command.command)) pieces.push_back(usage_of(row));
  }
  if (!command.tail.empty()) pieces.emplace_back(command.tail);
  return pieces;
}

std::string render_help() {
  std::string out = "NAME:\n";
  out += wrap_words("wperf - " + std::string(kPurpose), kIndent);
  out += heading("SYNOPSIS") + synopsis();
  out += heading("COMMANDS") + commands();
  out += heading("OPTIONS") + options();
  out += heading("OPTIONS aliases") + aliases(command_rows()) + aliases(option_rows());
  out += heading("EXAMPLES");
  for (const Example& example : examples()) out += entry(example.line, "", example.help);
  return out;
}

}  // namespace wperf::cli
