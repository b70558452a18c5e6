// SPDX-License-Identifier: BSD-3-Clause
// A recording with samples, from any source: a perf.data file, with or without SPE operations, or a Windows trace that
// was converted to a perf.data file.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "analysis/recording/trace_recording.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "ground/os/mapped_file.h"
#include "model/stacks/stack_profile.h"
#include "model/stacks/trace_facts.h"

namespace wperf::recording {

struct ConvertedTrace {
  TraceRecording recording;
  stacks::TraceFacts facts;                // what is missing in the trace
  std::unique_ptr<os::MappedFile> mapped;  // contains the bytes of `file`
  perf_data::PerfFile file;
};
// An error in the trace begins with `name`, unless that is empty. `version`: wperf's version, written to the recording.
diag::Result<ConvertedTrace> convert_trace(const etl::Trace& trace, const std::string& version,
                                           const TraceConversionOptions& options, const std::string& name);

class SampledRecording {
 public:
  // The file must outlive this object.
  explicit SampledRecording(const perf_data::PerfFile& file) : file_(&file) {}
  explicit SampledRecording(ConvertedTrace trace)
      : trace_(std::make_unique<ConvertedTrace>(std::move(trace))), file_(&trace_->file) {}

  const perf_data::PerfFile& file() const { return *file_; }
  bool is_trace() const { return trace_ != nullptr; }
  const stacks::TraceFacts* trace_facts() const { return trace_ != nullptr ? &trace_->facts : nullptr; }
  // Does nothing if the recording is not a trace.
  void add_trace_facts(stacks::StackProfile& profile) const;
  // The context switches, read on first use. Returns an error if the recording has none.
  diag::Result<const RecordedSwitches*> switches() const;

  const perf_data::AuxTraces* operations = nullptr;  // from SPE; counted together with the samples
  std::optional<ChosenSpans> spans = {};             // only samples in these spans count

 private:
  std::unique_ptr<ConvertedTrace> trace_;
  const perf_data::PerfFile* file_;
  mutable std::optional<diag::Result<RecordedSwitches>> read_;
};

}  // namespace wperf::recording
