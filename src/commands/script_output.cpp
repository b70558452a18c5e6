// SPDX-License-Identifier: BSD-3-Clause
#include "commands/script_output.h"

#include <optional>

#include "os/output_file.h"
#include "output/outputs.h"
#include "report/sample_lines.h"
#include "stacks/stack_aggregator.h"

namespace wperf::commands {

diag::Result<void> write_sample_lines(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                                      const stacks::StackFilter& filter, const request::Request& request,
                                      diag::Console& console) {
  const std::string& name = *request.sampling.records_file;
  const bool json = request.outputs.json || name.ends_with(".json");
  std::optional<os::OutputFile> to_file;
  if (!output::prints_records(request)) {
    WPERF_TRY(os::OutputFile created, os::OutputFile::create(output::output_path(request.outputs, name)));
    to_file.emplace(std::move(created));
  }
  report::SampleLines lines(recorded.profile, recorded.lists,
                            json ? report::LineFormat::json : report::LineFormat::text, [&](std::string_view part) {
                              if (to_file.has_value()) return to_file->write(part);
                              json ? console.json(part) : console.document(part);
                            });
  const stacks::ChosenSamples chosen(recorded.profile, filter);
  usize number = 0;
  file.for_each_record([&](const perf_data::Sample& sample, const perf_data::Record&) {
    const u32 row = recorded.row_of_sample[number++];
    if (row == stacks::StackAggregator::kNoRow || !chosen.has(recorded.profile.samples[row])) return;
    const stacks::StackSample& known = recorded.profile.samples[row];
    const auto& events = file.attrs();
    const perf_data::EventAttributes& attributes = events[std::min<usize>(known.event, events.size() - 1)].attributes;
    lines.append(row, {.time_ns = sample.time,
                       .period = sample.period,
                       .core = sample.cpu,
                       .has_time = attributes.has(perf_data::kSampleTime),
                       .has_core = attributes.has(perf_data::kSampleCpu)});
  });
  lines.finish();
  return to_file.has_value() ? to_file->close() : diag::Result<void>();
}

}  // namespace wperf::commands
