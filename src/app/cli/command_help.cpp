// SPDX-License-Identifier: BSD-3-Clause
// `wperf COMMAND --help`: examples first, then the options of that command in groups.
#include <fmt/format.h>

#include "app/cli/help.h"
#include "app/cli/terminal_text.h"

namespace wperf::cli {
namespace {

constexpr usize kHelpIndent = 4;
constexpr usize kTextColumn = 30;

std::string entry(const OptionRow& row, request::Command command, std::string_view device) {
  std::string name = std::string(kHelpIndent, ' ') + shown_name(row);
  if (row.alias_apart) name.append(", ").append(row.alias);
  name = with_value(std::move(name), row);
  const std::string text = wrap_words(help_for(row, command, device), kTextColumn);
  if (name.size() + 2 > kTextColumn) return name + "\n" + text;
  return name + text.substr(name.size());
}

std::string options_of(const CommandRow& command, std::string_view device) {
  std::string out;
  for (const Heading& heading : kHeadings) {
    std::string entries;
    for (const OptionRow& row : option_rows()) {
      if (row.group != heading.group || !row.commands.has(command.command)) continue;
      entries += entry(row, command.command, device);
    }
    if (!entries.empty()) out += fmt::format("\n{}:\n{}", heading.title, entries);
  }
  return out;
}

// Examples for this device come first.
std::string examples_of(const CommandRow& command, std::string_view device) {
  std::string first, others;
  for (const Example& example : examples()) {
    if (example.command != command.command) continue;
    const bool is_for_device = device.empty() || example.help.starts_with("On Linux:") == (device == "linux");
    std::string& out = is_for_device ? first : others;
    out += fmt::format("    {}\n", example.line) + wrap_words(example.help, 2 * kHelpIndent);
  }
  return first.empty() && others.empty() ? std::string() : "\nExamples:\n" + first + others;
}

}  // namespace

std::string render_command_help(const CommandRow& command, std::string_view device) {
  std::string usage = fmt::format("wperf {}", command.name);
  if (!command.argument.empty()) usage.append(" ").append(command.argument);
  usage += " [OPTIONS]";
  if (!command.tail.empty()) usage.append(" ").append(command.tail);
  return usage + "\n" + wrap_words(command.help, kHelpIndent) + examples_of(command, device) +
         options_of(command, device) +
         fmt::format("\nMore: docs/user/{}.md, `wperf --help` for the other commands.\n", command.page);
}

}  // namespace wperf::cli
