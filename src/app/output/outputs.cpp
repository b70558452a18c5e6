// SPDX-License-Identifier: BSD-3-Clause
#include "app/output/outputs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ground/os/files.h"
#include "ground/os/new_file.h"
#include "ground/os/output_file.h"

namespace wperf::output {

namespace {

struct NamedOutput {
  std::string_view option;
  std::string path;
};

// The files of pages and documents.
std::vector<NamedOutput> named_outputs(const request::Request& request) {
  const request::Comparison& sides = request.comparison;
  const std::pair<std::string_view, const std::optional<std::string>&> outputs[] = {
      {"--html", request.recording.html_file}, {"--svg", request.recording.svg_file},
      {"-o", request.outputs.json_file},       {"--records", request.sampling.records_file},
      {"--junit", sides.junit_file},           {"--markdown", sides.markdown_file},
      {"--save-baseline", sides.kept_baseline}};
  std::vector<NamedOutput> named;
  for (const auto& [option, file] : outputs) {
    if (file.has_value() && *file != kConsole) named.push_back({option, output_path(request.outputs, *file)});
  }
  return named;
}

// The named outputs and the recording that is kept.
std::vector<NamedOutput> all_outputs(const request::Request& request) {
  std::vector<NamedOutput> named = named_outputs(request);
  const std::optional<std::string>& kept = request.sampling.perf_data_file;
  if (kept.has_value() || request.sampling.perf_data) {
    named.push_back({"--output-perf-data", output_path(request.outputs, kept.value_or(std::string(kUsualRecording)))});
  }
  return named;
}

}  // namespace

std::string output_path(const request::Outputs& outputs, const std::string& file) {
  return outputs.directory.has_value() ? os::join_path(*outputs.directory, file) : file;
}

diag::Result<void> check_outputs(const request::Request& request) {
  for (const NamedOutput& one : all_outputs(request)) {
    // Timelines put core and time into the names of these files: check_timeline_files().
    if (request.timeline.enabled && one.option == "-o") continue;
    WPERF_CHECK_OK(os::check_output(one.path));
  }
  return {};
}

diag::Result<void> check_inputs_stay(const request::Request& request) {
  std::vector<std::string> inputs = request.further_files;
  if (request.data_file.has_value()) inputs.push_back(*request.data_file);
  const request::Comparison& sides = request.comparison;
  inputs.insert(inputs.end(), sides.before.begin(), sides.before.end());
  inputs.insert(inputs.end(), sides.after.begin(), sides.after.end());
  if (sides.baseline_file.has_value()) inputs.push_back(*sides.baseline_file);
  // An existing recording is an input.
  std::vector<NamedOutput> named;
  for (const auto& [option, path] : request.data_file.has_value() ? named_outputs(request) : all_outputs(request)) {
    for (const auto& [other_option, other] : named) {
      if (!os::would_be_one_file(path, other)) continue;
      return diag::Error{.text = fmt::format("{} and {} would overwrite each other in {}", other_option, option, path),
                         .hint = "use a different file for one of them",
                         .code = diag::ExitCode::usage};
    }
    named.push_back({option, path});
    for (const std::string& input : inputs) {
      if (!os::is_same_file(path, input)) continue;
      return diag::Error{.text = fmt::format("{} would overwrite {}, which is an input", option, input),
                         .hint = "use a different file for the output",
                         .code = diag::ExitCode::usage};
    }
  }
  return {};
}

namespace {

// The options whose documents go to stdout.
std::vector<std::string_view> documents_on_stdout(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const request::Comparison& sides = request.comparison;
  std::vector<std::string_view> options;
  const std::pair<std::string_view, bool> documents[] = {
      {"--json", request.outputs.json && !request.outputs.json_file.has_value() && !prints_records(request)},
      {"--folded", view.folded},
      {"--records -", prints_records(request)},
      {"--html -", view.html_file == kConsole},
      {"--svg -", view.svg_file == kConsole},
      {"--markdown -", sides.markdown_file == kConsole},
      {"--junit -", sides.junit_file == kConsole},
      {"--save-baseline -", sides.kept_baseline == kConsole}};
  for (const auto& [option, is_given] : documents) {
    if (is_given) options.push_back(option);
  }
  return options;
}

}  // namespace

diag::Result<void> check_one_document(const request::Request& request) {
  const std::vector<std::string_view> options = documents_on_stdout(request);
  if (options.size() < 2) return {};
  return diag::Error{.text = fmt::format("{} and {} would both be written to stdout, where they cannot be told apart",
                                         options[0], options[1]),
                     .hint = "write one of them to a file; for --json use -o FILE",
                     .code = diag::ExitCode::usage};
}

diag::Result<void> write_output_file(const std::string& path, std::string_view text) {
  WPERF_TRY(os::OutputFile file, os::OutputFile::create_text(path));
  file.write(text);
  return file.close();
}

diag::Result<void> write_named_output(const std::string& file, std::string_view text, const request::Outputs& outputs,
                                      diag::Console& console) {
  if (file != kConsole) return write_output_file(output_path(outputs, file), text);
  console.document(text);
  return {};
}

bool wants_json(const request::Outputs& outputs) {
  return outputs.json || outputs.json_file.has_value();
}

bool wants_spe_json(const request::Request& request) {
  return request.outputs.json_file.has_value() || (request.outputs.json && !prints_records(request));
}

bool stdout_is_document(const request::Request& request) {
  const bool counts = request.command == request::Command::stat && request.recording.export_format.has_value() &&
                      !request.outputs.json_file.has_value();
  return counts || !documents_on_stdout(request).empty();
}

bool prints_records(const request::Request& request) {
  return request.sampling.records_file == kConsole;
}

bool silent(const request::Outputs& outputs) {
  return outputs.quiet || outputs.json;
}

diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console) {
  diag::Result<void> written;
  if (outputs.json_file.has_value()) written = write_output_file(output_path(outputs, *outputs.json_file), json);
  if (outputs.json && (!outputs.json_file.has_value() || !written.has_value())) console.document(json);
  return written;
}

}  // namespace wperf::output
