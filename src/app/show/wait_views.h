// SPDX-License-Identifier: BSD-3-Clause
// Views of a recording of context switches: why threads did not run, their waits in the views for samples, and one
// profile of their running and waiting time.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "analysis/recording/opened_recording.h"
#include "analysis/recording/sampled_recording.h"
#include "analysis/waits/critical_path.h"
#include "analysis/waits/thread_times.h"
#include "analysis/waits/wait_names.h"
#include "app/measure/recording_run.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::show {

struct WaitOptions {
  waits::WaitSelection chosen = {};
  bool on_off = false;      // shows running and waiting in one profile
  bool as_samples = false;  // shows waits as samples
  u32 program = 0;          // the process for which a trace was recorded; 0: all processes
};

// Waits with the names of their places and locks.
struct NamedWaits;

// A recording of context switches, and the times of its threads. Can be used for any number of reports.
struct SwitchRecording {
  // `from` must have switches.
  explicit SwitchRecording(recording::SampledRecording from);
  SwitchRecording(const SwitchRecording&) = delete;
  SwitchRecording& operator=(const SwitchRecording&) = delete;

  const recording::SampledRecording source;
  const recording::RecordedSwitches& switches;  // of `source`
  const waits::Accounting accounting;
  bool has_compact_switches = false;            // some switches are in a form that cannot be read
  std::shared_ptr<NamedWaits> named = nullptr;  // all waits; null: each report names the waits that it needs
  std::optional<waits::ThreadHistories> histories = {};
};
// The result refers to `opened`. `name`: for error messages.
diag::Result<std::unique_ptr<SwitchRecording>> read_switches(const recording::OpenedRecording& opened,
                                                             const std::string& name);
// Names all waits, and keeps the sums from which tables for any threads are added up.
diag::Result<void> name_all_waits(SwitchRecording& recording, const ReportOptions& options, diag::Console& console);
// Keeps the histories of threads for further critical paths.
void keep_histories(SwitchRecording& recording);

// Shows the tables, the short answer or the JSON of a report. `trace`, `about`: null if unknown.
diag::Result<void> show_wait_report(const waits::WaitReport& report, const stacks::TraceFacts* trace,
                                    const stacks::RecordingAbout* about, const ReportOptions& options,
                                    diag::Console& console);
diag::Result<void> show_waits(const SwitchRecording& recording, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console);
// For a recording that was just made.
diag::Result<void> show_waits(const measure::Recording& made, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console);

}  // namespace wperf::show
