// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/destinations.h"

#include <fmt/format.h>

#include <utility>

#include "app/output/outputs.h"
#include "ground/os/files.h"
#include "ground/text/number_text.h"
#include "ground/text/shell_words.h"

namespace wperf::commands {
namespace {

// The name of the recording to keep; nullopt if it is temporary.
std::optional<std::string> kept_name(const request::Sampling& sampling) {
  if (sampling.perf_data_file.has_value() || !sampling.perf_data) return sampling.perf_data_file;
  return std::string(output::kUsualRecording);
}

// The options whose documents are written to stdout.
std::vector<std::string_view> documents_on_stdout(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const request::Comparison& sides = request.comparison;
  std::vector<std::string_view> options;
  const std::pair<std::string_view, bool> documents[] = {
      {"--json", request.outputs.json && !request.outputs.json_file.has_value() && !prints_records(request)},
      {"--brief", request.outputs.brief.has_value()},
      {"--folded", view.folded},
      {"--records -", prints_records(request)},
      {"--html -", view.html_file == output::kConsole},
      {"--svg -", view.svg_file == output::kConsole},
      {"--markdown -", sides.markdown_file == output::kConsole},
      {"--junit -", sides.junit_file == output::kConsole},
      {"--save-baseline -", sides.kept_baseline == output::kConsole}};
  for (const auto& [option, is_given] : documents) {
    if (is_given) options.push_back(option);
  }
  return options;
}

const char* shown_by(const request::Request& request) {
  return request.command == request::Command::waits ? "wperf waits" : "wperf report";
}

}  // namespace

output::Files files_of(const request::Request& request) {
  const request::Comparison& sides = request.comparison;
  output::Files files{.outputs = {{"--html", request.recording.html_file},
                                  {"--svg", request.recording.svg_file},
                                  {"-o", request.outputs.json_file},
                                  {"--records", request.sampling.records_file},
                                  {"--junit", sides.junit_file},
                                  {"--markdown", sides.markdown_file},
                                  {"--save-baseline", sides.kept_baseline}},
                      // An existing recording is an input, not an output.
                      .kept_recording = request.data_file.has_value() ? std::nullopt : kept_name(request.sampling),
                      .inputs = request.further_files,
                      .documents = documents_on_stdout(request),
                      .folder = request.outputs.directory,
                      .output_is_pattern = request.timeline.enabled};
  if (request.data_file.has_value()) files.inputs.push_back(*request.data_file);
  if (request.pgo.binary.has_value()) files.inputs.push_back(*request.pgo.binary);
  files.inputs.insert(files.inputs.end(), sides.before.begin(), sides.before.end());
  files.inputs.insert(files.inputs.end(), sides.after.begin(), sides.after.end());
  if (sides.baseline_file.has_value()) files.inputs.push_back(*sides.baseline_file);
  return files;
}

bool stdout_is_document(const request::Request& request) {
  const bool counts = request.command == request::Command::stat && request.recording.export_format.has_value() &&
                      !request.outputs.json_file.has_value();
  return counts || !documents_on_stdout(request).empty();
}

bool prints_text(const request::Request& request) {
  return !output::silent(request.outputs) && !stdout_is_document(request);
}

bool prints_records(const request::Request& request) {
  return request.sampling.records_file == output::kConsole;
}

std::string kept_recording(const request::Request& request) {
  const std::optional<std::string> name = kept_name(request.sampling);
  return name.has_value() ? output::output_path(request.outputs, *name) : std::string();
}

request::Request with_kept_file(request::Request request) {
  std::optional<std::string>& output = request.outputs.json_file;
  if (!output.has_value() || (!output->ends_with(".data") && !output->ends_with(".etl"))) return request;
  request.sampling.perf_data = true;
  request.sampling.perf_data_file.swap(output);
  output.reset();
  return request;
}

void print_kept_recording(const request::Request& request, const measure::Recording& recording,
                          diag::Console& console) {
  const std::string kept = kept_recording(request);
  if (kept.empty() || !prints_text(request) || !os::file_exists(kept)) return;
  console.out(fmt::format("recorded to {}: {} bytes; show it again with `{} {}`\n", kept,
                          text::with_commas(recording.size), shown_by(request), text::quoted_word(kept)));
  if (!request.sampling.for_compilers) return;
  console.out(fmt::format("next: `wperf pgo {} --format llvm -o {}` makes a profile for clang\n",
                          text::quoted_word(kept), text::quoted_word(kept + ".prof")));
}

void print_json_file(const request::Request& request, diag::Console& console) {
  const std::optional<std::string>& file = request.outputs.json_file;
  if (!file.has_value() || *file == output::kConsole || file->ends_with(".json") || !prints_text(request)) return;
  const bool is_file = !os::is_pipe_or_device(output::output_path(request.outputs, *file));
  console.out(
      fmt::format("wrote the report to {} as JSON{}\n", *file,
                  is_file ? fmt::format("; use `-o {}.data` to keep the recording for `{}`", *file, shown_by(request))
                          : std::string()));
}

}  // namespace wperf::commands
