// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help.h"

namespace wperf::cli {
namespace {

// Hyphens that must be copyable, backslashes, and dots or quotes that would open a request at the start of a line.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string entry(std::string_view name, std::string_view value_name, std::string_view help) {
  std::string out = ".TP\n.B " + roff(name);
  if (!value_name.empty()) out += " \\fI" + roff(value_name) + "\\fR";
  return out + "\n" + roff(help) + "\n";
}

template <typename Row>
std::string all_names(const Row& row) {
  return std::string(row.name) + (row.alias.empty() ? "" : ", " + std::string(row.alias));
}

// A piece of the synopsis stays on one line.
std::string unbroken(const std::string& piece) {
  std::string out;
  for (const char c : roff(piece)) out += c == ' ' ? std::string("\\ ") : std::string(1, c);
  return out;
}

std::string synopsis() {
  std::string out;
  for (const CommandRow& row : command_rows()) {
    out += ".HP 4\n.B wperf " + roff(row.name) + "\n";
    for (const std::string& piece : usage_pieces(row)) out += unbroken(piece) + "\n";
  }
  return out;
}

}  // namespace

std::string render_man_page() {
  std::string out =
      ".\\\" Made from src/cli/options.cpp; do not edit.\n"
      ".TH WPERF 1\n"
      ".SH NAME\nwperf \\- counts and samples what Arm processors do under Windows, with their hardware counters\n"
      ".SH SYNOPSIS\n.nh\n.ad l\n";
  out += synopsis() + ".ad b\n.hy\n.SH COMMANDS\n";
  for (const CommandRow& row : command_rows()) out += entry(all_names(row), row.argument, row.help);
  out += ".SH OPTIONS\n";
  for (const OptionRow& row : option_rows()) out += entry(all_names(row), row.value_name, row.help);
  out +=
      entry("--", "PROGRAM ARGUMENTS...", "The program that stat or record starts; the rest of the line is its own.");
  out += ".SH EXAMPLES\n";
  for (const Example& example : examples()) out += entry(example.line, "", example.help);
  out +=
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\nSuccess. Words that wperf does not know are warned about, not refused.\n"
      ".TP\n.B 1\nThe command failed, or an option has a value it does not take.\n"
      ".TP\n.B 2\nThe name of the device is wrong, or an option that WindowsPerf does not have was used wrongly.\n"
      ".TP\n.B 3\nThere is no device to measure with.\n"
      ".TP\n.B 4\nAn input file is damaged beyond use.\n"
      ".TP\n.B 255\nstat was not told what to count.\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B WPERF_DEVICE\nThe device when there is no \\fB\\-\\-device\\fR on the line.\n"
      ".TP\n.B WPERF_SYMBOL_CACHE\noff: report neither keeps functions of large Linux files for the next one, nor uses "
      "those that were kept.\n";
  return out;
}

}  // namespace wperf::cli
