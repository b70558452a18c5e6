// SPDX-License-Identifier: BSD-3-Clause
// docs/user/options.md: each command with the names of its options, then each option once, by purpose.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/help.h"
#include "base/ascii.h"

namespace wperf::cli {
namespace {

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

// The anchor that sites make from a Markdown heading: lower case, with hyphens for blanks.
std::string anchor_of(std::string_view heading) {
  std::string out;
  for (const char c : heading) out += c == ' ' ? '-' : ascii_lower(c);
  return out;
}

void append_name(std::string& names, const std::string& name) {
  if (!names.empty()) names += ", ";
  names += name;
}

std::string names_in(Group group, request::Command command) {
  std::string names;
  for (const OptionRow& row : option_rows()) {
    if (row.group == group && row.commands.has(command)) append_name(names, code(row.name));
  }
  return names;
}

std::string command_section(const CommandRow& command) {
  std::string synopsis = "wperf " + std::string(command.name);
  for (const std::string_view part : {command.argument, std::string_view("[OPTIONS]"), command.tail}) {
    if (!part.empty()) synopsis.append(" ").append(part);
  }
  std::string out = "\n## " + std::string(option_heading(command)) + "\n\n" + code(synopsis);
  if (!command.alias.empty()) out += ", or " + code(command.alias);
  const std::string page(command.page);
  out += "\n\n" + escaped(command.help) + " More: [" + page + "](" + page + ".md).\n";
  std::string rows;
  for (const Heading& heading : kHeadings) {
    const std::string names = names_in(heading.group, command.command);
    if (names.empty()) continue;
    const std::string title(heading.title);
    rows += fmt::format("- [{}](#{}): {}\n", title, anchor_of(title), names);
  }
  return rows.empty() ? out : out + "\n" + rows;
}

// One text of an option, with the commands that it applies to.
std::string option_line(const OptionRow& row, std::string_view help) {
  std::string line = "| " + code(row.name);
  if (!row.alias.empty()) line += ", " + code(row.alias);
  line += escaped(with_value({}, row));
  std::string commands;
  for (const CommandRow& command : command_rows()) {
    if (row.commands.has(command.command) && help_for(row, command.command) == help) {
      append_name(commands, std::string(option_heading(command)));
    }
  }
  return line + " | " + commands + " | " + escaped(help) + " |\n";
}

std::string option_lines(const OptionRow& row) {
  std::string out;
  std::vector<std::string_view> shown;
  for (const CommandRow& command : command_rows()) {
    if (!row.commands.has(command.command)) continue;
    const std::string_view help = help_for(row, command.command);
    if (std::find(shown.begin(), shown.end(), help) != shown.end()) continue;
    shown.push_back(help);
    out += option_line(row, help);
  }
  return out;
}

}  // namespace

std::string_view option_heading(const CommandRow& command) {
  const std::string_view name = command.alias.starts_with("--") ? command.alias : command.name;
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

std::string render_option_page() {
  std::string out =
      "<!-- Made from src/app/cli/options.cpp; do not edit. -->\n"
      "# Options\n\n"
      "This page lists the options of every command and then explains each option once. `wperf COMMAND --help` prints "
      "the options of one command.\n\n";
  std::string links;
  for (const CommandRow& command : command_rows()) {
    const std::string name(option_heading(command));
    append_name(links, fmt::format("[{0}](#{0})", name));
  }
  out += links + ".\n";
  for (const CommandRow& command : command_rows()) out += command_section(command);
  for (const Heading& heading : kHeadings) {
    out += "\n## " + std::string(heading.title) + "\n\n| Option | Commands | Meaning |\n|---|---|---|\n";
    for (const OptionRow& row : option_rows()) {
      if (row.group == heading.group) out += option_lines(row);
    }
  }
  return out;
}

}  // namespace wperf::cli
