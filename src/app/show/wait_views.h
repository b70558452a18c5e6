// SPDX-License-Identifier: BSD-3-Clause
// A recording of context switches: why threads did not run, their waits in the views of samples, and where threads were
// all of the time.
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
  u32 program = 0;          // the process that a trace was recorded for; 0: all
};

// Waits with the names of their places and locks.
struct NamedWaits;

// A recording of context switches, and the times of its threads. It answers any number of questions.
struct SwitchRecording {
  // `from` must have switches.
  explicit SwitchRecording(recording::SampledRecording from);
  SwitchRecording(const SwitchRecording&) = delete;
  SwitchRecording& operator=(const SwitchRecording&) = delete;

  const recording::SampledRecording source;
  const recording::RecordedSwitches& switches;  // of `source`
  const waits::Accounting accounting;
  bool has_compact_switches = false;            // some switches are in a form that cannot be read
  std::shared_ptr<NamedWaits> named = nullptr;  // all waits; null: each question names those that it needs
  std::optional<waits::ThreadHistories> histories = {};
};
// The result refers to `opened`. `name` is for errors.
diag::Result<std::unique_ptr<SwitchRecording>> read_switches(const recording::OpenedRecording& opened,
                                                             const std::string& name);
// Also keeps what the tables of any threads are added up from.
diag::Result<void> name_all_waits(SwitchRecording& recording, const ReportOptions& options, diag::Console& console);
// For further questions about critical paths.
void keep_histories(SwitchRecording& recording);

// The tables, the short answer and the JSON of a report. `trace`, `about`: null if unknown.
diag::Result<void> show_wait_report(const waits::WaitReport& report, const stacks::TraceFacts* trace,
                                    const stacks::RecordingAbout* about, const ReportOptions& options,
                                    diag::Console& console);
diag::Result<void> show_waits(const SwitchRecording& recording, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console);
// For a recording that was just made.
diag::Result<void> show_waits(const measure::Recording& made, const WaitOptions& waits, const ReportOptions& options,
                              diag::Console& console);

}  // namespace wperf::show
