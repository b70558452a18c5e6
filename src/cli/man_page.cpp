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
      ".SH NAME\nwperf \\- " +
      roff(kPurpose) +
      "\n"
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
      ".TP\n.B 0\nSuccess. Words that wperf does not know are warned about, not refused; on Linux they are refused.\n"
      ".TP\n.B 1\nThe command failed: a value that is not taken, a file that cannot be read or written to "
      "its end, a driver held by another.\n"
      ".TP\n.B 2\nThe line has no command wperf knows, there is no such device or process, or an option that "
      "WindowsPerf does not have was used wrongly.\n"
      ".TP\n.B 3\nThere is no device to measure with, it lacks what was asked for, or this user may not open it.\n"
      ".TP\n.B 4\nAn input file is damaged beyond use.\n"
      ".TP\n.B 70\nA bug of wperf; please report it with the command line.\n"
      ".TP\n.B 141\nWhoever read our output went away.\n"
      ".TP\n.B 255\nstat was not told what to count.\n"
      ".TP\n.B of the program\nOn Linux stat and record end with the status of the program they started, 128 + N after "
      "signal N, where nothing else went wrong.\n"
      ".SH ENVIRONMENT\n";
  out += entry("WPERF_DEVICE", "", "The device when there is no --device on the line.");
  out += entry("WPERF_PAGER, PAGER", "",
               "What shows text that is longer than the terminal; default: less, which gets LESS=FRX if LESS is not "
               "set. Empty or cat: nothing does. See --no-pager.");
  out += entry("NO_COLOR", "", "Not empty: nothing is coloured.");
  out += entry("WPERF_SIM_INSTANCE", "",
               "The name of the simulated machine; two wperf with different names do not wait for each other.");
  out += entry("_NT_SYMBOL_PATH", "", "Where PDB files may be: folders, symbol stores and servers. See --symbol-path.");
  out += entry("WPERF_SYMBOL_CACHE", "",
               "off: report neither keeps functions of large Linux files for the next one, nor uses those that were "
               "kept.");
  out += entry("XDG_CACHE_HOME", "", "The folder below which they are kept, as wperf/symbols. Default: ~/.cache.");
  out += entry("DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT", "",
               "The servers that --debuginfod asks, separated by blanks, and how many seconds a file may take (90).");
  out += entry("TMPDIR", "", "Where a recording on Linux lies that was not given a name. Default: /tmp.");
  out += ".SH SEE ALSO\n.BR wperf\\-devgen (1)\n";
  return out;
}

}  // namespace wperf::cli
