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
  // The data that `file` has views into, with its owners.
  std::unique_ptr<device::RecordingSession> session;
  std::unique_ptr<os::RecordingFile> own_file;
  std::unique_ptr<os::MappedFile> mapped;
  perf_data::PerfFile file;
  u64 size = 0;       // bytes
  std::string trace;  // path of the Windows trace that replaces `file`; empty if it is not
                      // a trace
  std::vector<std::pair<u32, u32>> trace_children;  // its processes: pairs of parent and child
  bool of_whole_machine = false;                    // the recording is not about one program, though one runs
  std::unique_ptr<TracePython> trace_python;        // while a trace with functions of Python is made
  std::optional<stacks::TraceFacts> trace_losses;   // for a trace that was read
  SampledProgram sampled;
  plan::SamplePlan plan;  // with the intervals that were used
  WaitEnd end = WaitEnd::time;
  std::vector<readings::Process> processes;  // those known at the end
  // the program crashed, or a file is incomplete; the samples before that are valid
  std::optional<diag::Error> error;
};

// Starts or finds the program, then samples until the time is over, the program ends, or Ctrl-C.
diag::Result<Recording> record_samples(const MeasureOptions& options, OpenedMachine& machine, diag::Console& console);

// Like record_samples(), for a program that is already running, and for as long as the options say. Used for repeated
// recordings.
diag::Result<Recording> record_sampled(const MeasureOptions& options, const plan::SamplePlan& plan,
                                       const SampledProgram& sampled, OpenedMachine& machine, diag::Console& console);

// Unwinds while the kernel records, if the plan needs callers by any method; otherwise null.
std::shared_ptr<perf_data::RecordFilter> live_filter(const request::Measurement& wanted, const plan::SamplePlan& plan);
// For the system's own kernel: where to record, and what to do after the last record.
device::RecordingTarget target_of_session(const MeasureOptions& options, const Recording& recording);
diag::Result<void> finish_session(const std::string& kept_file, OpenedMachine& machine, Collection collection,
                                  Recording& recording, diag::Console& console);

// For a driver's recording: create_own_file() creates the file, and the other function reads it when it is complete.
// The recording is kept as `kept_file`; empty: it is not kept.
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
