// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "cli/help.h"

namespace wperf::cli {
namespace {

// Words that a reader would type stand in code font; the table marks none of them, so only the known spellings are.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '>' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string option_line(const OptionRow& row, request::Command command) {
  std::string line = "| " + code(row.name);
  if (!row.alias.empty()) line += ", " + code(row.alias);
  if (row.value != Value::none) line += " " + escaped(row.value_name);
  return line + " | " + escaped(help_for(row, command)) + " |\n";
}

// Of several commands on a page the first that takes the option says what it is.
const CommandRow* on_page(const OptionRow& row, std::string_view page) {
  for (const CommandRow& command : command_rows()) {
    if (command.page == page && row.commands.has(command.command)) return &command;
  }
  return nullptr;
}

}  // namespace

std::string render_markdown(std::string_view page) {
  std::string out;
  for (const CommandRow& command : command_rows()) {
    if (command.page != page) continue;
    out += "| " + code(command.name) + (command.alias.empty() ? "" : ", " + code(command.alias));
    if (!command.argument.empty()) out += " " + escaped(command.argument);
    if (!command.tail.empty()) out += " " + code(command.tail);
    out += " | " + escaped(command.help) + " |\n";
  }
  for (const OptionRow& row : option_rows()) {
    if (const CommandRow* const command = on_page(row, page)) out += option_line(row, command->command);
  }
  return "| Command and options | Meaning |\n|---|---|\n" + out;
}

}  // namespace wperf::cli
