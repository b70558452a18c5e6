// SPDX-License-Identifier: BSD-3-Clause
// The answers of `waits` as text and JSON. Pure; lines end in LF.
#pragma once
#include <string>
#include <vector>

#include "analysis/waits/wait_report.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/trace_facts.h"
#include "views/report/table.h"

namespace wperf::report {

struct WaitTextOptions {
  u32 rows = 50;                                  // for each table
  usize width = 0;                                // of the terminal; 0: unlimited
  const stacks::RecordingAbout* about = nullptr;  // null: unknown
  bool verbose = false;  // also shows how much of the ready time followed a preemption, and further missing data
};
struct WaitPart {
  std::string heading;
  Table table;  // has all rows; not shown if it has none
  u32 rows;     // number of rows to show
};
// The recorded time, the losses, and the limits of the tables, each as a line. `all`: includes missing records of
// threads that are not shown.
std::vector<std::string> wait_lines(const waits::WaitReport& report, bool all = false);
// Is something missing from the recording?
bool has_losses(const waits::WaitReport& report);
// Threads, functions, locks, wakers, starved threads, cores.
std::vector<WaitPart> wait_parts(const waits::WaitReport& report, const WaitTextOptions& options);
WaitPart timeline_part(const waits::WaitReport& report);
std::vector<WaitPart> path_parts(const waits::PathReport& path, u32 rows);
std::string waits_text(const waits::WaitReport& report, const WaitTextOptions& options);
// "4.0 us", "12 ms".
std::string wait_time_text(u64 ns);
// "not listed: 12 that are shorter than 1.0 ms, 3.4 ms together".
std::string left_out_text(const waits::OmittedRows& left_out);
// `trace`: the gaps of a trace; null for other recordings. `about`: null if unknown.
std::string waits_json(const waits::WaitReport& report, const stacks::TraceFacts* trace = nullptr,
                       const stacks::RecordingAbout* about = nullptr);

}  // namespace wperf::report
