// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample`: a perf.data file is made while the program runs, on every device, then read as `report` reads
// any other. Called by run_sample and the C API.
#pragma once
#include <memory>
#include <optional>

#include "analysis/recording/trace_recording.h"
#include "app/measure/sampled_program.h"
#include "app/measure/sampling.h"
#include "formats/perf_data/perf_file.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "machine/device/device.h"
#include "machine/plan/sample_plan.h"
#include "model/stacks/trace_facts.h"

namespace wperf::measure {

struct Recording {
  // What `file` reaches into, and what keeps it.
  std::unique_ptr<device::RecordingSession> session;
  std::unique_ptr<os::RecordingFile> own;
  std::unique_ptr<os::MappedFile> mapped;
  perf_data::PerfFile file;
  u64 size = 0;                                    // bytes
  std::string trace;                               // where Windows' trace is, instead of `file`; empty: there is none
  std::optional<stacks::TraceFacts> trace_losses;  // of a trace that was read
  SampledProgram sampled;
  plan::SamplePlan plan;  // with the intervals that were used
  WaitEnd end = WaitEnd::time;
  std::vector<readings::Process> processes;  // those known at the end
  std::optional<diag::Error> trouble;        // the program crashed, a file is not whole: what was sampled is still good
};

// Starts or finds the program, then samples until the time is over, the program ends or Ctrl-C.
diag::Result<Recording> record_samples(const request::Request& request, Machine& machine, diag::Console& console);

// The same of a program that is there already, for as long as `request` says: for who records again and again.
diag::Result<Recording> record_sampled(const request::Request& request, const plan::SamplePlan& plan,
                                       const SampledProgram& sampled, Machine& machine, diag::Console& console);

// Unwinds while the system's kernel records, where the plan wants callers without more; else null.
std::shared_ptr<perf_data::RecordFilter> live_filter(const request::Request& request, const plan::SamplePlan& plan);
// Of the system's own kernel: what its recording is to be, and what becomes of it when all was collected.
device::RecordingTarget target_of_session(const request::Request& request, const Recording& recording);
diag::Result<void> finish_session(const request::Request& request, Machine& machine, Collection collection,
                                  Recording& recording, diag::Console& console);

// The file of a driver's recording: begun, and read when it is whole. One that the user wants is kept.
diag::Result<void> create_own_file(Recording& recording);
diag::Result<void> finish_own_file(const request::Request& request, Recording& recording);

// -o FILE.data and FILE.etl keep the recording; any other FILE gets the JSON.
request::Request with_kept_file(request::Request request);
// What its command ends with: why it is not all good, or the status of the program that ended.
diag::Result<int> status_of_recording(const request::Request& request, Machine& machine, const Recording& recording);

// Makes `file` of a trace, for who reads samples and not the trace. What the trace lost is told in the losses.
diag::Result<recording::RecordedSwitches> read_trace(Recording& recording, const recording::TraceWishes& wishes = {});

// The file that the user wants to keep; empty: none.
std::string kept_recording(const request::Request& request);

}  // namespace wperf::measure
