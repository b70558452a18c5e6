// SPDX-License-Identifier: BSD-3-Clause
// `report`: finds the recording and checks whether the options fit together. src/app/show reads and shows it.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/commands/program_hint.h"
#include "app/fleet/fleet_answer.h"
#include "app/output/outputs.h"
#include "app/show/recording_views.h"
#include "ground/os/files.h"
#include "model/request/recording_view.h"

namespace wperf::commands {
namespace {

using request::ExportFormat;

// The first given option that selects samples.
std::string_view choosing_option(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  if (view.time.has_value()) return "--time";
  if (!view.tids.empty()) return "--tid";
  if (!view.pids.empty()) return "--pid";
  if (!view.comms.empty()) return "--comm";
  if (!view.modules.empty()) return "--module";
  if (request.sampling.display.symbol.has_value()) return "-s";
  return "";
}

// Can the output be written? Checked before anything is read.
diag::Result<void> check_export(const request::Request& request, const diag::Console& console) {
  const ExportFormat format = *request.recording.export_format;
  const bool goes_to_console = request.outputs.json_file.value_or(std::string(output::kConsole)) == output::kConsole;
  if (format == ExportFormat::prometheus) {
    return diag::usage_error("--export prometheus needs counts, and a recording has samples",
                             "wperf stat --export prometheus");
  }
  if (const std::string_view option = choosing_option(request); format == ExportFormat::perf_data && !option.empty()) {
    return diag::usage_error(
        fmt::format("--export perf.data writes the whole recording; {} cannot be used with it", option),
        "use another format to export a part");
  }
  const bool has_labels = format == ExportFormat::csv || format == ExportFormat::sql || format == ExportFormat::otlp;
  if (!request.push.labels.empty() && !has_labels) {
    return diag::usage_error(fmt::format("{} cannot store a --label", request::export_name(format)),
                             "use csv, sql or otlp");
  }
  if (!request::is_binary(format) || !goes_to_console || !console.bytes_are_seen()) return {};
  return diag::usage_error(
      fmt::format("--export {} writes binary data, which a terminal cannot show", request::export_name(format)),
      "write it to a file with -o FILE, or to a pipe");
}

// The named recording; otherwise perf.data in the current folder, or the newest *.data. Prints the name of the chosen
// file.
diag::Result<std::string> choose_recording(const request::Request& request, diag::Console& console) {
  if (request.data_file.has_value()) return *request.data_file;
  constexpr const char* kUsualName = "perf.data";
  const std::string found = os::file_exists(kUsualName) ? kUsualName : os::youngest_file(".data");
  if (found.empty()) {
    return diag::usage_error(
        "report needs a recording: no file is given, and the current folder has no perf.data or *.data",
        "wperf report FILE; create one with `wperf record -o perf.data -- PROGRAM`");
  }
  // If stdout is a document, the choice is not printed, because stderr must stay empty.
  if (prints_text(request)) console.out("recording: " + found + "\n\n");
  return found;
}

}  // namespace

diag::Result<void> run_report(const request::Request& asked, diag::Console& console) {
  request::Request request = asked;
  const bool exports = request.recording.export_format.has_value();
  if (exports) WPERF_CHECK_OK(check_export(request, console));
  if (!exports && !request.push.labels.empty()) {
    return diag::usage_error("--label works only with exports and with push",
                             "use it with --export csv, sql or otlp, or with `wperf push`");
  }
  WPERF_TRY(request.data_file, choose_recording(asked, console));
  WPERF_CHECK_OK(output::check_inputs_stay(files_of(request)));
  auto tried = fleet::open_any(recording_files(request), request.push, fleet::Detail::sums, console);
  if (!tried.has_value()) return with_program_hint(std::move(tried).error(), *request.data_file, "wperf record");
  const fleet::Opened opened = std::move(tried).value();
  if (!opened.summary.empty() && prints_text(request)) console.out(opened.summary + "\n\n");
  return show::show_recording(opened.recording, report_options(request, console), console);
}

}  // namespace wperf::commands
