// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample`: makes a perf.data file while the program runs, on every device, and then reads it as `report`
// would.
#pragma once
#include <memory>
#include <optional>

#include "analysis/recording/trace_recording.h"
#include "app/measure/sampled_program.h"
#include "app/measure/sampling.h"
#include "app/measure/trace_python.h"
#include "formats/perf_data/perf_file.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "machine/device/device.h"
#include "machine/plan/sample_plan.h"
#include "model/stacks/trace_facts.h"

namespace wperf::measure {

struct Recording {
  // The owners of the data that `file` views.
  std::unique_ptr<device::RecordingSession> session;
  std::unique_ptr<os::RecordingFile> own_file;
  std::unique_ptr<os::MappedFile> mapped;
  perf_data::PerfFile file;
  u64 size = 0;       // bytes
  std::string trace;  // path of the Windows trace that was made instead of `file`; empty if none
  std::vector<std::pair<u32, u32>> trace_children;  // processes of the trace: pairs of parent and child
  // the recording is about the whole machine, although a program was started
  bool of_whole_machine = false;
  std::unique_ptr<TracePython> trace_python;       // used while a trace with Python functions is made
  std::optional<stacks::TraceFacts> trace_losses;  // for a trace that was read
  SampledProgram sampled;
  plan::SamplePlan plan;  // with the intervals that were used
  WaitEnd end = WaitEnd::time;
  std::vector<readings::Process> processes;  // the processes known at the end
  // the program crashed, or a file is incomplete; the samples before that are valid
  std::optional<diag::Error> error;
};

// Starts or finds the program, then samples until the time is over, the program ends, or Ctrl-C.
diag::Result<Recording> record_samples(const MeasureOptions& options, OpenedMachine& machine, diag::Console& console);

// Like record_samples(), for a program that is already running, for the duration in the options. Used for repeated
// recordings.
diag::Result<Recording> record_sampled(const MeasureOptions& options, const plan::SamplePlan& plan,
                                       const SampledProgram& sampled, OpenedMachine& machine, diag::Console& console);

// Unwinds while the kernel records, if the plan needs callers by any method; otherwise null.
std::shared_ptr<perf_data::RecordFilter> live_filter(const request::Measurement& wanted, const plan::SamplePlan& plan);
// For recordings by the system's kernel: where to record, and the steps after the last record.
device::RecordingTarget target_of_session(const MeasureOptions& options, const Recording& recording);
diag::Result<void> finish_session(const std::string& kept_file, OpenedMachine& machine, Collection collection,
                                  Recording& recording, diag::Console& console);

// For a driver's recording: create_own_file() creates the file, and the other function reads it when it is complete.
// The recording is kept as `kept_file`, or not kept if that is empty.
diag::Result<void> create_own_file(Recording& recording);
diag::Result<void> finish_own_file(Recording& recording, const std::string& kept_file = {});

// The result of the command: the error that makes the recording incomplete, or the status of the program
// (status_of_program).
diag::Result<int> status_of_recording(const request::Measurement& wanted, OpenedMachine& machine,
                                      const Recording& recording, diag::Console& console);

// Makes `file` from a trace, for readers of samples. The trace's losses are stored in `trace_losses`.
diag::Result<recording::RecordedSwitches> read_trace(Recording& recording,
                                                     const recording::TraceConversionOptions& options = {});

}  // namespace wperf::measure
