// SPDX-License-Identifier: BSD-3-Clause
// The command line tool: argv → request → commands → exit status. Errors are printed only here.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/given_words.h"
#include "app/cli/help.h"
#include "app/cli/terminal_console.h"
#include "app/commands/commands.h"
#include "app/mcp/server.h"
#include "app/measure/tool.h"
#include "ground/diag/nearest.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "ground/os/process.h"
#include "ground/os/terminal.h"
#include "ground/os/unfinished_files.h"
#include "views/report/tool_reports.h"
#include "wperf_version.h"

namespace wperf::cli {
namespace {

constexpr const char* kBugs = "the issue tracker of the place this wperf came from";

// A reader of the output that is gone is not reported as an error.
int fail(const diag::Error& error, diag::Console& console) {
  if (os::is_reader_gone(error.system_error)) return os::kStatusOfReaderGone;
  console.warn(error.verbatim ? error.text : "error: " + error.text);
  if (!error.hint.empty()) console.warn("hint: " + error.hint);
  return static_cast<int>(error.code);
}

// Output that could not be written is a failure. If a program on the simulated machine wrote it, the reason is not
// known.
int end(int status, TerminalConsole& console) {
  const int error = console.output_error();
  if (error == 0 && std::ferror(stdout) == 0) return status;
  if (error != 0 ? os::is_reader_gone(error) : os::has_lost_reader(stdout))
    return status != 0 ? status : os::kStatusOfReaderGone;
  const diag::Error unknown{.text = "stdout could not be written completely", .hint = {}};
  const int failed = fail(error != 0 ? os::not_whole("stdout", error) : unknown, console);
  return status != 0 ? status : failed;
}

int print(const std::string& text, const request::Outputs& outputs) {
  TerminalConsole console(outputs);
  console.out(text);
  return end(0, console);
}

// Is the output read by scripts of WindowsPerf? They run on its devices and search for certain lines (contract 8.1,
// 8.2).
bool is_for_scripts(const std::string& device) {
  return device != kLinuxDevice && !TerminalConsole(request::Outputs{}).animated();
}

// Scripts of WindowsPerf search for exactly this line (contract 8.1). For other users, an address that does not exist
// would be useless.
std::string header(const std::string& device) {
  if (device == kLinuxDevice) return measure::tool_version() + " (" + kGitVersion + "/" + kBuildType + ")\n";
  return report::header_text(measure::tool_component(), kBuildType, is_for_scripts(device) ? kBugs : "");
}

int print_greeting(const std::string& device) {
  const std::string greeting = header(device) + "Use --help for help.\n";
  return print(is_for_scripts(device) ? greeting : greeting + "\n" + render_overview(device == kLinuxDevice), {});
}

int print_help(const request::Request& request) {
  if (request.help_topic.has_value())
    return print(render_command_help(row_of(*request.help_topic), request.device), request.outputs);
  const bool ours = request.arguments.front() == kHelpWord;  // no script for WindowsPerf uses this word
  const bool all = request.all_help || (!ours && is_for_scripts(request.device));
  return print(header(request.device) + (all ? render_help() : "\n" + render_overview(request.device == kLinuxDevice)),
               request.outputs);
}

int serve(const request::Request& request, diag::Console& console) {
  const std::string named = request.mcp.root.value_or(".");
  const std::string root = os::real_path(named);
  if (root.empty() || !os::is_folder(root)) {
    return fail({.text = "there is no folder " + named,
                 .hint = "name an existing one with --root",
                 .code = diag::ExitCode::usage},
                console);
  }
  return mcp::serve({.root = root, .device = request.device, .may_start_programs = request.mcp.may_start_programs});
}

std::string default_device() {
  const std::string named = os::environment("WPERF_DEVICE").value_or("");
  return named.empty() ? os::kOwnDevice : named;
}

void warn_of(const request::Request& request, diag::Console& console) {
  for (const std::string& word : request.unexpected) {
    console.warn("warning: unexpected arg '" + word + "' ignored");
    const std::string meant = meant_option(word, request.command);
    if (!meant.empty()) console.warn("hint: " + diag::did_you_mean(meant));
  }
  for (const std::string& warning : request.warnings) console.warn(warning);
}

int run(const std::vector<std::string>& arguments) {
  request::Outputs only_errors;
  only_errors.quiet = true;
  TerminalConsole errors(only_errors);
  if (arguments.empty()) return print_greeting(default_device());
  auto request = parse_command_line(arguments, os::file_exists, default_device());
  if (!request.has_value()) return fail(request.error(), errors);
  request::Request& asked = request.value();
  warn_of(asked, errors);
  if (const auto checked = check_command(asked); !checked.has_value()) return fail(checked.error(), errors);

  if (asked.command == request::Command::help) return print_help(asked);
  if (asked.command == request::Command::guide) return print(render_guide(), {});
  if (asked.command == request::Command::mcp) return serve(asked, errors);
  TerminalConsole console(asked.outputs);
  if (commands::measures(asked)) {
    os::catch_interrupt();
    os::outlive_readers();
  }
  const auto done = commands::run(asked, console);
  return end(done.has_value() ? done.value() : fail(done.error(), console), console);
}

}  // namespace
}  // namespace wperf::cli

int main(int count, char** words) {
  wperf::os::hold_standard_streams();
  wperf::os::remove_unfinished_when_ended();
  try {
    return wperf::cli::run(wperf::os::program_arguments(count, words));
  } catch (const std::exception& exception) {
    std::fprintf(stderr,
                 "wperf stopped because of an internal error: %s\nhint: please report it with the command line\n",
                 exception.what());
    return 70;
  }
}
