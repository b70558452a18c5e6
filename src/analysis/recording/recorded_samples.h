// SPDX-License-Identifier: BSD-3-Clause
// The samples of a perf.data file, counted by task, place and call path, and named.
#pragma once
#include "analysis/recording/recorded_places.h"
#include "analysis/recording/sample_tally.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/result.h"
#include "model/request/recording_view.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/moments.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

// Selects the samples to read, where to find names, and the details that a view needs besides thread, function and
// event. Each detail costs time.
struct ReadOptions {
  std::string file = {};                       // name of the file in the profile; empty: a temporary file
  std::optional<request::TimeSpan> time = {};  // only these samples
  std::optional<u64> time_origin = {};         // origin of `time`; nullopt: begin_of_run(), or else the first sample
  modules::SymbolOptions symbols = {};         // where to look for symbols
  bool callers = false;
  bool only_native = false;  // leave out the Python functions that called the code of SPE records
  bool branches = false;     // reads branches instead of samples (stacks::branch_edges)
  bool lines = false;
  bool cores = false;
  bool core_kinds = false;  // needs cores
  bool inlined = false;
  bool python_lines = false;                     // see PlaceOptions
  bool signatures = false;                       // distinguishes overloads
  modules::DebugDownloads* downloads = nullptr;  // for --debuginfod
  bool code = false;                             // a site for each sampled address
  bool code_lines = false;                       // lines of these sites
  bool files_with_lines = false;                 // prefer files with line information, even if lines are not needed now
  bool rvas = false;                             // see PlaceOptions
  bool line_ranges = false;                      // line ranges of these sites
  u64 slice_ns = 0;                              // length of time slices; 0: none
  bool rows = false;                             // the row of each sample of the file, with stacks as lists of
                                                 // addresses
  bool sample_rows = false;                      // like `rows`, but with stacks in the tree
  bool times = false;                            // times of records that are not samples
  bool sample_times = false;                     // times of samples
  // For each sample of the file, the weight to use instead of its period; 0 excludes the sample. Null: use the periods.
  const std::vector<u64>* weights = nullptr;
  const perf_data::AuxTraces* traces = nullptr;  // also count the operations recorded by SPE; null if there are none
  modules::FunctionFiles* functions = nullptr;   // cached functions of modules
  OpenedCode* opened = nullptr;                  // code files that stay open for the next report
  NamingProgress naming_progress = {};
};

struct RecordedSamples {
  stacks::StackProfile profile;
  stacks::RecordingAbout about;
  CodeFiles files;           // if `code` was requested
  stacks::LineStacks lists;  // if rows were requested
  stacks::Moments moments;   // has times of samples only if requested; the caller adds the states of threads
  // The row of each sample of the file, in order; four bytes each. stacks::StackAggregator::kNoRow if it was not
  // counted.
  stacks::GrowingArray<u32> row_of_sample;
  // If samples contain counts of other events, each sample counts for several events. Then this lists these events with
  // their counts; otherwise it is empty.
  std::vector<SampleTally::Part> parts;
  std::optional<perf_data::RunFacts> run;  // for wperf's own recordings
};
// The time at which the run began, for recordings made by wperf: the origin of --time, time slices and exports. nullopt
// for other recordings, because their origin is the first sample.
std::optional<u64> begin_of_run(const perf_data::PerfFile& file);
// The first and last nanosecond of a range of time.
struct TimeLimits {
  u64 from = 0, to = ~u64{0};
};
TimeLimits time_limits(const request::TimeSpan& span, u64 origin);
RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const ReadOptions& wanted);

}  // namespace wperf::recording
