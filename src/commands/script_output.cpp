// SPDX-License-Identifier: BSD-3-Clause
#include "commands/script_output.h"

#include <algorithm>

#include "commands/line_batches.h"
#include "commands/records_output.h"
#include "report/sample_lines.h"
#include "stacks/stack_aggregator.h"

namespace wperf::commands {

diag::Result<void> write_sample_lines(const perf_data::PerfFile& file, const recording::RecordedSamples& recorded,
                                      const std::vector<u64>* weights, const stacks::StackFilter& filter,
                                      const request::Request& request, diag::Console& console) {
  WPERF_TRY(RecordsOutput output, RecordsOutput::open(request, console));
  const report::SampleLines spelled(recorded.profile, recorded.lists,
                                    output.json() ? report::LineFormat::json : report::LineFormat::text);
  LineBatches lines(spelled, [&](std::string_view part) { output.write(part); });
  const stacks::ChosenSamples chosen(recorded.profile, filter);
  usize number = 0;
  file.for_each_record([&](const perf_data::Sample& sample, const perf_data::Record&) {
    const usize own = number++;
    const u32 row = recorded.row_of_sample[own];
    if (row == stacks::StackAggregator::kNoRow || !chosen.has(recorded.profile.samples[row])) return;
    const stacks::StackSample& known = recorded.profile.samples[row];
    const auto& events = file.attrs();
    const perf_data::EventAttributes& attributes = events[std::min<usize>(known.event, events.size() - 1)].attributes;
    lines.add(row, {.time_ns = sample.time,
                    .period = weights != nullptr ? (*weights)[own] : sample.period,
                    .core = sample.cpu,
                    .has_time = attributes.has(perf_data::kSampleTime),
                    .has_core = attributes.has(perf_data::kSampleCpu)});
  });
  lines.finish();
  return output.close();
}

}  // namespace wperf::commands
