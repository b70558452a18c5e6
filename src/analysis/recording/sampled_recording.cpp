// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/sampled_recording.h"

#include <algorithm>
#include <utility>

#include "analysis/recording/opened_recording.h"

namespace wperf::recording {

diag::Result<ConvertedTrace> convert_trace(const etl::Trace& trace, const std::string& version,
                                           const TraceConversionOptions& options, const std::string& name) {
  auto made = recording_of_trace(trace, version, options);
  if (!made.has_value()) return name.empty() ? std::move(made).error() : with_file_name(name, std::move(made).error());
  stacks::TraceFacts facts = trace_facts(trace, made.value());
  WPERF_TRY(os::MappedFile mapped, os::MappedFile::open(made.value().file.openable_path()));
  WPERF_TRY(perf_data::PerfFile file, perf_data::PerfFile::open(mapped.bytes()));
  return ConvertedTrace{.recording = std::move(made).value(),
                        .facts = std::move(facts),
                        .mapped = std::make_unique<os::MappedFile>(std::move(mapped)),
                        .file = std::move(file)};
}

void SampledRecording::add_trace_facts(stacks::StackProfile& profile) const {
  if (trace_ == nullptr) return;
  profile.trace = trace_->facts;
  const std::vector<u64>& idle = trace_->recording.idle_times;
  const auto after = std::ranges::upper_bound(idle, profile.to_ns);
  profile.trace->idle_samples = static_cast<u64>(after - std::ranges::lower_bound(idle, profile.from_ns));
  profile.python = trace_->facts.python;
}

diag::Result<const RecordedSwitches*> SampledRecording::switches() const {
  if (trace_ != nullptr) return &trace_->recording.switches;
  if (!read_.has_value()) read_.emplace(read_switches(*file_));
  if (!read_->has_value()) return read_->error();
  return &read_->value();
}

}  // namespace wperf::recording
