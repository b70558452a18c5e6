// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/outputs_told.h"

#include <fmt/format.h>

#include "app/commands/destinations.h"
#include "app/output/outputs.h"
#include "ground/os/files.h"
#include "ground/text/number_text.h"

namespace wperf::commands {
namespace {

const char* shown_by(const request::Request& request) {
  return request.command == request::Command::waits ? "wperf waits" : "wperf report";
}

}  // namespace

void tell_kept(const request::Request& request, const measure::Recording& recording, diag::Console& console) {
  const std::string kept = kept_recording(request);
  if (kept.empty() || !is_told(request) || !os::file_exists(kept)) return;
  console.out(fmt::format("recorded to {}: {} bytes; show it again with `{} {}`\n", kept,
                          text::with_commas(recording.size), shown_by(request), kept));
}

void tell_written(const request::Request& request, diag::Console& console) {
  const std::optional<std::string>& file = request.outputs.json_file;
  if (!file.has_value() || *file == output::kConsole || file->ends_with(".json") || !is_told(request)) return;
  console.out(fmt::format("wrote the report to {} as JSON; use `-o {}.data` to keep the recording for `{}`\n", *file,
                          *file, shown_by(request)));
}

}  // namespace wperf::commands
