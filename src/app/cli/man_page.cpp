// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/help.h"

namespace wperf::cli {
namespace {

// Escapes hyphens that must be copyable, backslashes, and dots or quotes that would begin a request at the start of a
// line.
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
  const bool is_attached = value_name.starts_with("[=");
  if (!value_name.empty()) out += (is_attached ? "\\fI" : " \\fI") + roff(value_name) + "\\fR";
  return out + "\n" + roff(help) + "\n";
}

template <typename Row>
std::string all_names(const Row& row) {
  return std::string(row.name) + (row.alias.empty() ? "" : ", " + std::string(row.alias));
}

// A piece of the synopsis must stay on one line.
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
      ".\\\" Made from src/app/cli/options.cpp; do not edit.\n"
      ".TH WPERF 1\n"
      ".SH NAME\nwperf \\- " +
      roff(kPurpose) +
      "\n"
      ".SH SYNOPSIS\n.nh\n.ad l\n";
  out += synopsis() + ".ad b\n.hy\n.SH COMMANDS\n";
  for (const CommandRow& row : command_rows()) out += entry(all_names(row), row.argument, row.help);
  out += ".SH OPTIONS\n";
  for (const OptionRow& row : option_rows()) out += entry(all_names(row), row.value_name, row.help);
  out += entry("--", "PROGRAM ARGUMENTS...",
               "The program that stat or record starts. The rest of the line is passed to it.");
  out += ".SH EXAMPLES\n";
  for (const Example& example : examples()) out += entry(example.line, "", example.help);
  out +=
      ".SH EXIT STATUS\n.TP\n.B 0\nSuccess. Unknown words cause a warning; on Linux they are an error.\n.TP\n.B 1\nThe "
      "command failed: an invalid value, a file that cannot be read or written completely, or a driver held by another "
      "process.\n.TP\n.B 2\nThe command is missing or unknown, the device or process does not exist, or an option that "
      "WindowsPerf does not have was used wrongly.\n.TP\n.B 3\nNo device can measure: there is none, it lacks a needed "
      "feature, or this user may not open it.\n.TP\n.B 4\nAn input file is too damaged to read.\n.TP\n.B 70\nA bug in "
      "wperf; please report it with the command line.\n.TP\n.B 141\nThe reader of the output closed it.\n.TP\n.B "
      "255\nstat was given no events.\n.TP\n.B of the program\nOn Linux, if nothing else failed, stat and record exit "
      "with the status of the program they started, or 128 + N after signal N.\n.SH ENVIRONMENT\n";
  out += entry("WPERF_DEVICE", "", "Device to use if the command line has no --device.");
  out += entry("WPERF_PAGER, PAGER", "",
               "Pager for text that is longer than the terminal. Default: less, with LESS=FRX unless LESS is set. "
               "Empty or cat: no pager. See --no-pager.");
  out += entry("NO_COLOR", "", "If not empty, nothing is coloured.");
  out += entry("WPERF_SIM_INSTANCE", "",
               "Name of the simulated machine. Two wperf with different names do not wait for each other.");
  out += entry("_NT_SYMBOL_PATH", "",
               "Where to look for PDB files: folders, symbol stores and servers. See --symbol-path.");
  out += entry("WPERF_SYMBOL_CACHE", "",
               "off: report neither caches the functions of large Linux files nor uses the cache.");
  out += entry("XDG_CACHE_HOME", "", "That cache is in its subfolder wperf/symbols. Default: ~/.cache.");
  out += entry(
      "DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT", "",
      "Servers that --debuginfod asks, separated by blanks, and the time limit for a file in seconds (default 90).");
  out += entry("TMPDIR", "", "Folder for recordings without a name on Linux. Default: /tmp.");
  out += ".SH SEE ALSO\n.BR wperf\\-devgen (1)\n";
  return out;
}

}  // namespace wperf::cli
