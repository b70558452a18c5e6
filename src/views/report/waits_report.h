// SPDX-License-Identifier: BSD-3-Clause
// The answers of `waits` as text and JSON. Pure; lines end in LF. Called by commands.
#pragma once
#include <string>
#include <vector>

#include "analysis/waits/wait_report.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/trace_facts.h"
#include "views/report/table.h"

namespace wperf::report {

struct WaitTextOptions {
  u32 rows = 50;                                  // of each table
  usize width = 0;                                // of the terminal; 0: lines may be as long as they need to be
  const stacks::RecordingAbout* about = nullptr;  // null: nobody knows
  bool preempted = false;                         // how much of the time of being ready began with losing the core
};
// The tables of it that are about waits, cores and threads, in their order; without those that have no row. All rows.
struct WaitPart {
  std::string heading;
  Table table;
  u32 rows;  // how many are shown
};
// What was recorded, what was lost, and what the tables cannot know, a line each.
std::vector<std::string> wait_lines(const waits::WaitReport& report);
std::vector<WaitPart> wait_parts(const waits::WaitReport& report, const WaitTextOptions& options);
std::string waits_text(const waits::WaitReport& report, const WaitTextOptions& options);
// "4.0 us", "12 ms".
std::string wait_time_text(u64 ns);
// "not listed: 12 that are shorter than 1.0 ms, 3.4 ms together".
std::string left_out_text(const waits::LeftOut& left_out);
// `trace`: what it lacks; null: it is none. `about`: null, nobody knows.
std::string waits_json(const waits::WaitReport& report, const stacks::TraceFacts* trace = nullptr,
                       const stacks::RecordingAbout* about = nullptr);

}  // namespace wperf::report
