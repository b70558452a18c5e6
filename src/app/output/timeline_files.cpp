// SPDX-License-Identifier: BSD-3-Clause
#include "app/output/timeline_files.h"

#include <fmt/format.h>

#include <utility>

#include "app/output/outputs.h"
#include "ground/os/new_file.h"
#include "ground/os/process.h"
#include "views/report/count_report.h"

namespace wperf::output {
namespace {

void replace_first(std::string& text, std::string_view placeholder, const std::string& value) {
  const size_t position = text.find(placeholder);
  if (position != std::string::npos) text.replace(position, placeholder.size(), value);
}

// The option that names the CSV: --output-csv, else -o if it does not name the JSON.
const std::optional<std::string>& chosen_name(const request::Outputs& outputs) {
  if (outputs.csv_file.has_value() || outputs.json) return outputs.csv_file;
  return outputs.json_file;
}

}  // namespace

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
