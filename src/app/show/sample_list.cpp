// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/sample_list.h"

#include <algorithm>

#include "app/show/line_batches.h"
#include "app/show/records_output.h"
#include "model/stacks/stack_aggregator.h"
#include "views/report/sample_lines.h"

namespace wperf::show {

diag::Result<void> write_sample_lines(const NamedSamples& samples, const ReportOptions& options,
                                      diag::Console& console) {
  const recording::RecordedSamples& recorded = samples.recorded;
  WPERF_TRY(RecordsOutput output, RecordsOutput::open(options, console));
  const report::SampleLines spelled(recorded.profile, recorded.lists,
                                    output.json() ? report::LineFormat::json : report::LineFormat::text);
  LineBatches lines(spelled, [&](std::string_view part) { output.write(part); });
  const stacks::ChosenSamples chosen(recorded.profile, options.tables.filter);
  const auto& events = samples.file.attrs();
  const auto add = [&](const perf_data::Sample& sample, u32 row, u64 period) {
    if (!chosen.has(recorded.profile.samples[row])) return;
    const u32 event = recorded.profile.samples[row].event;
    const perf_data::EventAttributes& attributes = events[std::min<usize>(event, events.size() - 1)].attributes;
    lines.add(row, {.time_ns = sample.time,
                    .period = period,
                    .core = sample.cpu,
                    .has_time = attributes.has(perf_data::kSampleTime),
                    .has_core = attributes.has(perf_data::kSampleCpu)});
  };
  usize number = 0;
  auto part = recorded.parts.begin();
  samples.file.for_each_record([&](const perf_data::Sample& sample, const perf_data::Record&) {
    const usize own = number++;
    const u32 row = recorded.row_of_sample[own];
    if (row == stacks::StackAggregator::kNoRow) return;
    if (recorded.parts.empty())
      return add(sample, row, samples.weights != nullptr ? (*samples.weights)[own] : sample.period);
    for (; part != recorded.parts.end() && part->sample <= own; ++part) add(sample, part->row, part->period);
  });
  lines.finish();
  return output.close();
}

}  // namespace wperf::show
