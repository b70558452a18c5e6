// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/weighted_samples.h"

#include <algorithm>
#include <utility>

#include "analysis/waits/latency_weights.h"

namespace wperf::show {
namespace {

// The switches that show when threads ran.
diag::Result<const recording::RecordedSwitches*> switches_for_weights(const recording::SampledRecording& source,
                                                                      const ReportOptions& options) {
  const std::string option = options.parallel.by_time               ? "--latency"
                             : options.parallel.running.has_value() ? "--parallelism"
                                                                    : "--span";
  const auto refused = [&](std::string_view why) {
    return diag::Error{.text = option + std::string(why),
                       .hint =
                           "`wperf record --latency -- PROGRAM` records both; so do `wperf waits --on-off`, `perf "
                           "record --switch-events`, and Windows traces with samples and context switches"};
  };
  const auto read = source.switches();
  const recording::RecordedSwitches* const switches = read.has_value() ? read.value() : nullptr;
  if (options.needs_switches() && (switches == nullptr || switches->switches.empty())) {
    return refused(" needs to know when threads ran, and this recording has no context switches");
  }
  if (switches == nullptr || switches->running_samples.empty()) {
    return refused(" needs samples of running threads, and this recording has none");
  }
  return switches;
}

// Do percentages refer to only a part of the samples? Then the running times of the whole recording do not apply.
bool bases_on_part(const recording::SampledRecording& source, const ReportOptions& options) {
  return source.spans.has_value() || (options.tables.relative && !options.tables.filter.is_empty());
}

// --latency and --parallelism.
waits::LatencyWeights weights_by_switches(const recording::RecordedSwitches& switches, bool of_part, u64 origin,
                                          const ReportOptions& options) {
  waits::LatencyPart part{.is_all_of_it = !of_part};
  if (options.read.time.has_value()) {
    const auto [from, to] = recording::time_limits(*options.read.time, origin);
    part.from = from;
    part.to = to;
  }
  return waits::latency_weights(switches, options.parallel, part);
}

}  // namespace

void WeightedSamples::use_in(recording::ReadOptions& wanted) const {
  wanted.weights = &weights;
  wanted.time_origin = time_origin;
}

void WeightedSamples::describe(const ReportOptions& options, stacks::StackProfile& profile) const {
  for (stacks::StackEvent& one : profile.events) {
    if (one.samples == 0) continue;
    if (!event.empty()) one.name = event;
    one.things = things;
    one.whole = whole;
    one.parallel_ns = parallel_ns;
  }
  const bool is_folded =
      options.folded || (options.exported.has_value() && options.exported->format == request::ExportFormat::folded);
  if (!is_folded || !in_folded) return;
  for (stacks::StackSample& sample : profile.samples) sample.count = sample.period;
}

diag::Result<std::optional<WeightedSamples>> chosen_weights(const recording::SampledRecording& source,
                                                            const ReportOptions& options, diag::Console& console) {
  const bool by_switches = options.needs_switches();
  if (!by_switches && !source.spans.has_value()) return std::optional<WeightedSamples>();
  WPERF_TRY(const recording::RecordedSwitches* const switches, switches_for_weights(source, options));
  const u64 origin = recording::begin_of_run(source.file()).value_or(switches->begin);
  waits::LatencyWeights made = by_switches
                                   ? weights_by_switches(*switches, bases_on_part(source, options), origin, options)
                                   : waits::recorded_weights(*switches);
  if (source.spans.has_value()) waits::keep_spans(*source.spans, *switches, made);
  const bool any = std::any_of(made.weights.begin(), made.weights.end(), [](u64 weight) { return weight != 0; });
  if (!any) console.warn("note: no samples are left; 100 % is " + made.whole);
  return std::optional(WeightedSamples{.whole = std::move(made.whole),
                                       .weights = std::move(made.weights),
                                       .time_origin = by_switches ? std::optional(origin) : std::nullopt,
                                       .parallel_ns = std::move(made.parallel_ns),
                                       .in_folded = options.parallel.by_time});
}

}  // namespace wperf::show
