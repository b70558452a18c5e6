// SPDX-License-Identifier: BSD-3-Clause
#include "output/outputs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "os/files.h"
#include "os/output_file.h"

namespace wperf::output {

std::string output_path(const request::Outputs& outputs, const std::string& file) {
  return outputs.directory.has_value() ? os::join_path(*outputs.directory, file) : file;
}

diag::Result<void> check_inputs_stay(const request::Request& request) {
  std::vector<std::string> inputs = request.further_files;
  if (request.data_file.has_value()) inputs.push_back(*request.data_file);
  const request::Comparison& sides = request.comparison;
  inputs.insert(inputs.end(), sides.before.begin(), sides.before.end());
  inputs.insert(inputs.end(), sides.after.begin(), sides.after.end());
  const std::pair<const char*, const std::optional<std::string>&> outputs[] = {
      {"--html", request.recording.html_file}, {"--svg", request.recording.svg_file},
      {"-o", request.outputs.json_file},       {"--records", request.sampling.records_file},
      {"--junit", sides.junit_file},           {"--markdown", sides.markdown_file}};
  for (const auto& [option, file] : outputs) {
    if (!file.has_value() || *file == kConsole) continue;
    const std::string path = output_path(request.outputs, *file);
    for (const std::string& input : inputs) {
      if (!os::is_same_file(path, input)) continue;
      return diag::Error{.text = fmt::format("{} would overwrite {}, which is to be read", option, input),
                         .hint = "name another file for what is written",
                         .code = diag::ExitCode::usage};
    }
  }
  return {};
}

diag::Result<void> write_output_file(const std::string& path, std::string_view text, diag::Console& console) {
  auto file = os::OutputFile::create_text(path);
  if (!file.has_value()) {
    console.warn("Unable to open " + path);
    return {};
  }
  file.value().write(text);
  return file.value().close();
}

bool wants_json(const request::Outputs& outputs) {
  return outputs.json || outputs.json_file.has_value();
}

bool wants_spe_json(const request::Request& request) {
  return request.outputs.json_file.has_value() || (request.outputs.json && !prints_records(request));
}

bool stdout_is_document(const request::Request& request) {
  const bool json = request.outputs.json && !request.outputs.json_file.has_value();
  const bool counts = request.command == request::Command::stat && request.recording.export_format.has_value() &&
                      !request.outputs.json_file.has_value();
  return json || counts || request.recording.folded || prints_records(request);
}

bool prints_records(const request::Request& request) {
  return request.sampling.records_file == kConsole;
}

bool silent(const request::Outputs& outputs) {
  return outputs.quiet || outputs.json;
}

diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console) {
  if (outputs.json_file.has_value()) return write_output_file(output_path(outputs, *outputs.json_file), json, console);
  if (outputs.json) console.document(json);
  return {};
}

}  // namespace wperf::output
