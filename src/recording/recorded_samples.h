// SPDX-License-Identifier: BSD-3-Clause
// The samples of a perf.data file, counted by who, where and how they got there, and named. Called by run_report.
#pragma once
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "recording/recorded_places.h"
#include "request/request.h"
#include "stacks/stack_profile.h"

namespace wperf::recording {

// What a view needs beyond thread, function and event; each costs time.
struct WantedDetail {
  bool callers = false;
  bool lines = false;
  bool cores = false;
  bool core_kinds = false;  // needs cores
  bool inlined = false;
  modules::DebugDownloads* downloads = nullptr;  // of --debuginfod
  bool code = false;                             // of hot functions: read_recorded_samples() answers where it is
  bool rows = false;                             // each sample of the file is asked for again, by its row
  modules::FunctionFiles* functions = nullptr;   // of modules, kept for the next report
};
WantedDetail wanted_detail(const request::Request& request);

struct RecordedSamples {
  stacks::StackProfile profile;
  CodeSites sites;
  stacks::LineStacks lists;  // where rows were wanted
  // Where each sample of the file was counted, in their order: four bytes for each. stacks::StackTally::kNoRow:
  // nowhere.
  std::vector<u32> row_of_sample;
};
RecordedSamples read_recorded_samples(const perf_data::PerfFile& file, const request::Request& request,
                                      const WantedDetail& wanted);

}  // namespace wperf::recording
