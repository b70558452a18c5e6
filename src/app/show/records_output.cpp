// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/records_output.h"

#include "app/commands/destinations.h"
#include "app/output/outputs.h"

namespace wperf::commands {

diag::Result<RecordsOutput> RecordsOutput::open(const request::Request& request, diag::Console& console) {
  const std::string& name = *request.sampling.records_file;
  RecordsOutput made(console, request.outputs.json || name.ends_with(".json"));
  if (prints_records(request)) return made;
  WPERF_TRY(os::OutputFile created, os::OutputFile::create(output::output_path(request.outputs, name)));
  made.file_.emplace(std::move(created));
  return made;
}

}  // namespace wperf::commands
