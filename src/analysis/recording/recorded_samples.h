// SPDX-License-Identifier: BSD-3-Clause
// The samples of a perf.data file, counted by who, where and how they got there, and named. Called by run_report.
#pragma once
#include "analysis/recording/recorded_places.h"
#include "analysis/recording/sample_tally.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/moments.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

// What a view needs beyond thread, function and event; each costs time.
struct WantedDetail {
  bool callers = false;
  bool lines = false;
  bool cores = false;
  bool core_kinds = false;  // needs cores
  bool inlined = false;
  bool signatures = false;                       // of overloads
  modules::DebugDownloads* downloads = nullptr;  // of --debuginfod
  bool code = false;                             // a site for each address that was hit
  bool code_lines = false;                       // of these sites
  bool line_ranges = false;                      // of these sites
  u64 slice_ns = 0;                              // length of the slices of time; 0: none
  bool rows = false;          // each sample of the file is asked for again, by its row, with its addresses
  bool sample_rows = false;   // the row alone
  bool times = false;         // what the records say of time, beside samples
  bool sample_times = false;  // and when each of these was taken
  // By sample of the file: what it counts for, instead of its period. 0: it does not count. Null: all count as
  // recorded.
  const std::vector<u64>* weights = nullptr;
  // Where --time begins to count. None: at the first sample.
  std::optional<u64> time_origin = std::nullopt;
  const perf_data::AuxTraces* traces = nullptr;  // of SPE: what it recorded counts, too; null: there is none
  modules::FunctionFiles* functions = nullptr;   // of modules, kept for the next report
  OpenedCode* opened = nullptr;                  // files of code, kept open for the next report
  NamingProgress tell_naming = {};
  modules::DownloadProgress tell_download = {};  // of PDBs
};
WantedDetail wanted_detail(const request::Request& request);

struct RecordedSamples {
  stacks::StackProfile profile;
  stacks::RecordingAbout about;
  CodeFiles files;           // where code was wanted
  stacks::LineStacks lists;  // where rows were wanted
  stacks::Moments
      moments;  // where times were wanted, its samples where theirs were; states of threads are added by who knows them
  // Where each sample of the file was counted, in their order: four bytes for each. stacks::StackAggregator::kNoRow:
  // nowhere.
  stacks::GrowingArray<u32> row_of_sample;
  // Where events read counters along, each sample counts for several: all of them, with what each counted. Else empty.
  std::vector<SampleTally::Part> parts;
  std::optional<perf_data::RunFacts> run;  // of wperf's own recordings
};
RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const request::Request& request,
                                      const WantedDetail& wanted);

}  // namespace wperf::recording
