// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/records_output.h"

#include "app/output/outputs.h"

namespace wperf::show {

bool ReportOptions::prints_records() const {
  return records_file == output::kConsole;
}

bool ReportOptions::wants_spe_json() const {
  return outputs.json_file.has_value() || (outputs.json && !prints_records());
}

diag::Result<RecordsOutput> RecordsOutput::open(const ReportOptions& options, diag::Console& console) {
  const std::string& name = *options.records_file;
  RecordsOutput made(console, options.outputs.json || name.ends_with(".json"));
  if (options.prints_records()) return made;
  WPERF_TRY(os::OutputFile created, os::OutputFile::create(output::output_path(options.outputs, name)));
  made.file_.emplace(std::move(created));
  return made;
}

}  // namespace wperf::show
