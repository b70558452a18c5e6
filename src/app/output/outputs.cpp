// SPDX-License-Identifier: BSD-3-Clause
#include "app/output/outputs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ground/os/files.h"
#include "ground/os/new_file.h"
#include "ground/os/output_file.h"
#include "ground/os/process.h"
#include "views/report/count_report.h"

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

void replace_first(std::string& text, std::string_view placeholder, const std::string& value) {
  const size_t position = text.find(placeholder);
  if (position != std::string::npos) text.replace(position, placeholder.size(), value);
}

// The name of the CSV file: from --output-csv, or else from -o if that is not the JSON file.
const std::optional<std::string>& chosen_name(const request::Outputs& outputs) {
  if (outputs.csv_file.has_value() || outputs.json) return outputs.csv_file;
  return outputs.json_file;
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
      return diag::usage_error(fmt::format("{} and {} would overwrite each other in {}", other_option, option, path),
                               "use a different file for one of them");
    }
    named.push_back({option, path});
    for (const std::string& input : files.inputs) {
      if (!os::is_same_file(path, input)) continue;
      return diag::usage_error(fmt::format("{} would overwrite {}, which is an input", option, input),
                               "use a different file for the output");
    }
  }
  return {};
}

diag::Result<void> check_files(const Files& files) {
  WPERF_CHECK_OK(check_inputs_stay(files));
  if (files.documents.size() > 1) {
    return diag::usage_error(fmt::format("{} and {} would both be written to stdout, where they cannot be told apart",
                                         files.documents[0], files.documents[1]),
                             "write one of them to a file; for --json use -o FILE");
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

void deliver_brief(const request::Outputs& outputs, const brief::Brief& brief, diag::Console& console) {
  if (outputs.brief->as_markdown) console.document(brief::markdown(brief, outputs.brief->bytes));
  if (outputs.brief->as_json) console.json(brief::json(brief, outputs.brief->bytes));
}

diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console) {
  diag::Result<void> written;
  if (outputs.json_file.has_value()) written = write_output_file(output_path(outputs, *outputs.json_file), json);
  if (outputs.json && (!outputs.json_file.has_value() || !written.has_value())) console.json(json);
  return written;
}

std::vector<TimelineFile> timeline_files(const request::Outputs& outputs, const plan::CountPlan& plan) {
  const std::string stamp = os::local_time_stamp();
  const std::optional<std::string>& name = chosen_name(outputs);
  const std::string first_core = std::to_string(plan.cores.front());
  std::vector<TimelineFile> files;
  for (const EventClass event_class : kEventClasses) {
    if (plan.schedules[index_of(event_class)].entries.empty()) continue;
    const std::string class_name = kEventClassNames[index_of(event_class)];
    std::string path;
    if (name.has_value()) {
      path = *name;
      replace_first(path, "{timestamp}", stamp);
      replace_first(path, "{class}", class_name);
      replace_first(path, "{core}", first_core);
      path = output_path(outputs, path);
    } else if (plan.cores.size() == 1) {
      path = fmt::format("wperf_core_{}_{}.{}.csv", first_core, stamp, class_name);
    } else {
      path = fmt::format("wperf_system_side_{}.{}.csv", stamp, class_name);
    }
    files.push_back({event_class, std::move(path)});
  }
  return files;
}

diag::Result<void> check_timeline_files(const request::Outputs& outputs, const std::vector<TimelineFile>& files) {
  for (const TimelineFile& file : files) WPERF_CHECK_OK(os::check_output(file.path));
  if (!outputs.json || !outputs.json_file.has_value()) return {};
  return os::check_output(output_path(outputs, *outputs.json_file));
}

diag::Result<void> write_timeline_files(const answers::TimelineProfile& timeline,
                                        const std::vector<TimelineFile>& files) {
  diag::Result<void> first_failure;
  for (const TimelineFile& file : files) {
    auto written = write_output_file(file.path, report::timeline_csv(timeline, file.event_class));
    if (first_failure.has_value()) first_failure = std::move(written);
  }
  return first_failure;
}

}  // namespace wperf::output
