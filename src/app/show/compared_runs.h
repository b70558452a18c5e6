// SPDX-License-Identifier: BSD-3-Clause
// The costs of both sides of a comparison, read from files.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/compare/run_costs.h"
#include "analysis/recording/opened_recording.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/comparison_request.h"
#include "model/request/output_options.h"

namespace wperf::show {

// Opens a file, or an address of a fleet.
using OpenRun =
    std::function<diag::Result<recording::OpenedRecording>(const std::string& name, diag::Console& console)>;
diag::Result<recording::OpenedRecording> open_file(const std::string& name, diag::Console& console);

// `seconds`: run time; 0: only known from the first and last samples.
struct MeasuredRun {
  compare::RunCosts costs;
  double seconds = 0;
};

// Keeps the runs of files for several comparisons. These must have the same options except for the files and the unit
// of costs.
class KeptRuns {
 public:
  struct File {
    std::vector<MeasuredRun> runs;  // one, or one for each host of a fleet
    std::vector<std::string> warnings;
  };
  // `state_of` returns another text after the file has changed.
  explicit KeptRuns(std::function<std::string(const std::string& file)> state_of) : state_of_(std::move(state_of)) {}

  // A key for the file in its current state. `is_alone`: it is the only file of its side.
  std::string key_of(const std::string& file, bool is_alone) const;
  const File* find(const std::string& key) const;  // null: not kept
  void keep(const std::string& key, File read);    // `key` must have been made before the file was read

 private:
  static constexpr usize kMost = 64;

  std::function<std::string(const std::string& file)> state_of_;
  std::map<std::string, File> files_;
};

// Made once from the request (commands/options_builder.h).
struct ComparisonOptions {
  OpenRun open = open_file;
  KeptRuns* kept = nullptr;        // null: each file is read again
  ReportOptions report = {};       // `read`: how to read each recording
  request::Comparison asked = {};  // sides, unit of costs, conditions, files
  bool prints_text = true;
  bool stdout_is_document = false;  // no other text may be printed to stdout
};

// Reads the costs of runs from recordings of any form, profiles of other programs, and counts of `stat --json`. The
// results are in the order of the files. Two files are read at the same time. Each host of a fleet is a run. Losses in
// the files are reported on the console, or kept with the costs.
struct ComparedRuns {
  std::vector<compare::RunCosts> before, after;
};
diag::Result<ComparedRuns> read_compared_runs(const std::vector<std::string>& before,
                                              const std::vector<std::string>& after, const ComparisonOptions& options,
                                              diag::Console& console);

// A baseline is a file with the costs of each run of a program. `bench --save-baseline` writes it, and `--baseline`
// compares with it.
diag::Result<void> write_baseline(const std::vector<compare::RunCosts>& runs, const std::string& file,
                                  const request::Outputs& outputs, diag::Console& console);

diag::Result<std::vector<compare::RunCosts>> read_baseline(const std::string& path);

}  // namespace wperf::show
