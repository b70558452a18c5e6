// SPDX-License-Identifier: BSD-3-Clause
// The tool: argv → request → pipeline → exit status. The only place that prints an error.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/terminal_console.h"
#include "os/files.h"
#include "os/process.h"
#include "pipeline/pipeline.h"
#include "pipeline/run_machine.h"
#include "report/small_reports.h"
#include "wperf_version.h"

namespace wperf::cli {
namespace {

constexpr const char* kBugs = "the issue tracker of the place this wperf came from";

std::string header() {
  return report::header_text(pipeline::tool_component(), kBuildType, kBugs);
}

int fail(const diag::Error& error, diag::Console& console) {
  console.warn(error.verbatim ? error.text : "error: " + error.text);
  if (!error.hint.empty()) console.warn("hint: " + error.hint);
  return static_cast<int>(error.code);
}

int run(const std::vector<std::string>& arguments) {
  TerminalConsole errors(true);
  if (arguments.empty()) {
    TerminalConsole(false).out(header() + "Use --help for help.\n");
    return 0;
  }
  auto request = parse_command_line(arguments, os::file_exists);
  if (!request.has_value()) return fail(request.error(), errors);
  request::Request& asked = request.value();
  for (const std::string& word : asked.unexpected) errors.warn("warning: unexpected arg '" + word + "' ignored");
  for (const std::string& warning : asked.warnings) errors.warn(warning);

  TerminalConsole console(asked.outputs.quiet || asked.outputs.json);
  if (asked.command == request::Command::help) {
    TerminalConsole(false).out(header() + render_help());
    return 0;
  }
  if (asked.device.empty()) asked.device = os::environment("WPERF_DEVICE").value_or("");
  os::catch_interrupt();
  const auto done = pipeline::run(asked, console);
  return done.has_value() ? 0 : fail(done.error(), console);
}

}  // namespace
}  // namespace wperf::cli

int main(int count, char** words) {
  try {
    return wperf::cli::run(wperf::os::program_arguments(count, words));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "wperf stopped at a bug of its own: %s\nhint: please report it with the command line\n",
                 exception.what());
    return 70;
  }
}
