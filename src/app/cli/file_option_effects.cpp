// SPDX-License-Identifier: BSD-3-Clause
// The effects of options with file names as values.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/option_effects.h"

namespace wperf::cli {

diag::Result<void> OptionEffects::take_file_value(Option option, const std::string& value) {
  switch (option) {
    case Option::metric_file:
      request_.metric_files.push_back(value);
      return {};
    case Option::extra_events:
      request_.extra_events.push_back(value);
      return {};
    case Option::output:
      request_.outputs.json_file = value;
      return {};
    case Option::output_csv:
      request_.outputs.csv_file = value;
      return {};
    case Option::directory:
      request_.outputs.directory = value;
      return {};
    case Option::html:
      request_.recording.html_file = value;
      return {};
    case Option::svg:
      request_.recording.svg_file = value;
      return {};
    case Option::record_runs:
      request_.comparison.record_as = value;
      return {};
    case Option::baseline:
      request_.comparison.baseline_file = value;
      return {};
    case Option::keep_baseline:
      request_.comparison.kept_baseline = value;
      return {};
    case Option::junit:
      request_.comparison.junit_file = value;
      return {};
    case Option::markdown:
      request_.comparison.markdown_file = value;
      if (value == "-") request_.outputs.quiet = true;  // stdout is for the document
      return {};
    case Option::records:
      request_.sampling.records_file = value;
      if (value == "-") request_.outputs.quiet = true;  // stdout is for the documents
      return {};
    case Option::output_perf_data:
      request_.sampling.perf_data = true;
      request_.sampling.perf_data_file = value;
      return {};
    case Option::pe_file:
      request_.pe_file = path_here(value);
      if (missing(*request_.pe_file)) return diag::contract_error(fmt::format("PE file '{}' doesn't exist", value));
      return {};
    default:
      return take_pdb_file(value);
  }
}

diag::Result<void> OptionEffects::take_pdb_file(const std::string& value) {
  std::string path = path_here(value);
  if (missing(path)) return diag::contract_error(fmt::format("PDB file '{}' doesn't exist", value));
  if (request_.pdb_file.has_value()) request_.sampling.more_pdb_files.push_back(*request_.pdb_file);
  request_.pdb_file = std::move(path);
  return {};
}

std::string OptionEffects::path_here(const std::string& path) const {
  if (file_exists_ == nullptr || file_exists_(path)) return path;
  std::string with_slashes = path;
  std::replace(with_slashes.begin(), with_slashes.end(), '\\', '/');
  return file_exists_(with_slashes) ? with_slashes : path;
}

}  // namespace wperf::cli
