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

// Which samples are read, where their names come from, and the details that a view needs beyond thread, function and
// event. Each detail costs time.
struct ReadOptions {
  std::string file = {};                       // its name in the profile; empty: a temporary file
  std::optional<request::TimeSpan> time = {};  // only these samples
  std::optional<u64> time_origin = {};         // where `time` counts from; nullopt: the first sample
  modules::SymbolOptions symbols = {};         // where symbols are looked for
  bool callers = false;
  bool only_native = false;  // leave out the functions of Python that called the code of SPE records
  bool branches = false;     // instead of the samples: the branches recorded with them (stacks::branch_edges)
  bool lines = false;
  bool cores = false;
  bool core_kinds = false;  // needs cores
  bool inlined = false;
  bool signatures = false;                       // of overloads
  modules::DebugDownloads* downloads = nullptr;  // for --debuginfod
  bool code = false;                             // a site for each address that was hit
  bool code_lines = false;                       // for these sites
  bool files_with_lines = false;                 // are looked for, even if no lines are wanted now
  bool rvas = false;                             // as of PlaceOptions
  bool line_ranges = false;                      // for these sites
  u64 slice_ns = 0;                              // length of the slices of time; 0 for none
  bool rows = false;          // each sample of the file is looked up again, by its row, with its addresses
  bool sample_rows = false;   // false: whole stacks
  bool times = false;         // the times of records other than samples
  bool sample_times = false;  // and when each of these was taken
  // By sample of the file: its weight, instead of its period. 0 if it does not count. If null, all count as recorded.
  const std::vector<u64>* weights = nullptr;
  const perf_data::AuxTraces* traces = nullptr;  // also counts the operations recorded by SPE; null if there are none
  modules::FunctionFiles* functions = nullptr;   // the functions of modules, kept for the next report
  OpenedCode* opened = nullptr;                  // files of code, kept open for the next report
  NamingProgress tell_naming = {};
};

struct RecordedSamples {
  stacks::StackProfile profile;
  stacks::RecordingAbout about;
  CodeFiles files;           // if code was wanted
  stacks::LineStacks lists;  // if rows were wanted
  stacks::Moments moments;   // with the samples' times if requested; the caller adds the states of threads
  // The row of each sample of the file, in their order: four bytes for each. stacks::StackAggregator::kNoRow if it was
  // not counted.
  stacks::GrowingArray<u32> row_of_sample;
  // If events read counters along, each sample counts for several events: all of them, with their counts. Otherwise
  // empty.
  std::vector<SampleTally::Part> parts;
  std::optional<perf_data::RunFacts> run;  // for recordings by wperf
};
RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const ReadOptions& wanted);

}  // namespace wperf::recording
