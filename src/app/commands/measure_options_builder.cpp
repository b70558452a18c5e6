// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/measure_options_builder.h"

#include "app/output/outputs.h"

namespace wperf::commands {

measure::MeasureOptions measure_options(const request::Request& request) {
  return {.wanted = request,
          .view = request.recording,
          .arguments = request.arguments,
          .kept_file = kept_recording(request),
          .output_folder = request.outputs.directory,
          .verbose = request.outputs.verbose,
          .stdout_is_document = output::stdout_is_document(request),
          .needs_program = request.push.url.has_value(),
          .live_waits = request.live.waits};
}

std::string kept_recording(const request::Request& request) {
  const std::optional<std::string>& named = request.sampling.perf_data_file;
  if (named.has_value()) return output::output_path(request.outputs, *named);
  if (!request.sampling.perf_data) return {};
  return output::output_path(request.outputs, std::string(output::kUsualRecording));
}

request::Request with_kept_file(request::Request request) {
  std::optional<std::string>& output = request.outputs.json_file;
  if (!output.has_value() || (!output->ends_with(".data") && !output->ends_with(".etl"))) return request;
  request.sampling.perf_data = true;
  request.sampling.perf_data_file.swap(output);
  output.reset();
  return request;
}

}  // namespace wperf::commands
