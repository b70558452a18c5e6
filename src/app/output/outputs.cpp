// SPDX-License-Identifier: BSD-3-Clause
#include "app/output/outputs.h"

#include <fmt/format.h>

#include <vector>

#include "ground/os/files.h"
#include "ground/os/new_file.h"
#include "ground/os/output_file.h"

namespace wperf::output {

namespace {

struct NamedPath {
  std::string_view option;
  std::string path;
};

std::string path_in(const std::optional<std::string>& folder, const std::string& file) {
  return folder.has_value() ? os::join_path(*folder, file) : file;
}

std::vector<NamedPath> paths_of(const Files& files) {
  std::vector<NamedPath> paths;
  for (const auto& [option, file] : files.outputs) {
    if (file.has_value() && *file != kConsole) paths.push_back({option, path_in(files.folder, *file)});
  }
  if (files.kept_recording.has_value())
    paths.push_back({"--output-perf-data", path_in(files.folder, *files.kept_recording)});
  return paths;
}

}  // namespace

std::string output_path(const request::Outputs& outputs, const std::string& file) {
  return path_in(outputs.directory, file);
}

diag::Result<void> check_inputs_stay(const Files& files) {
  std::vector<NamedPath> named;
  for (const auto& [option, path] : paths_of(files)) {
    for (const auto& [other_option, other] : named) {
      if (!os::would_be_one_file(path, other)) continue;
      return diag::Error{.text = fmt::format("{} and {} would overwrite each other in {}", other_option, option, path),
                         .hint = "use a different file for one of them",
                         .code = diag::ExitCode::usage};
    }
    named.push_back({option, path});
    for (const std::string& input : files.inputs) {
      if (!os::is_same_file(path, input)) continue;
      return diag::Error{.text = fmt::format("{} would overwrite {}, which is an input", option, input),
                         .hint = "use a different file for the output",
                         .code = diag::ExitCode::usage};
    }
  }
  return {};
}

diag::Result<void> check_files(const Files& files) {
  WPERF_CHECK_OK(check_inputs_stay(files));
  if (files.documents.size() > 1) {
    return diag::Error{.text = fmt::format("{} and {} would both be written to stdout, where they cannot be told apart",
                                           files.documents[0], files.documents[1]),
                       .hint = "write one of them to a file; for --json use -o FILE",
                       .code = diag::ExitCode::usage};
  }
  for (const NamedPath& one : paths_of(files)) {
    if (files.output_is_pattern && one.option == "-o") continue;
    WPERF_CHECK_OK(os::check_output(one.path));
  }
  return {};
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
