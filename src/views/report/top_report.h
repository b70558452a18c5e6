// SPDX-License-Identifier: BSD-3-Clause
// The answers of `top --once`: how long the look was and how often events happened, followed by a report of the
// recording. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/waits/live_waits.h"
#include "model/answers/count_profile.h"
#include "views/report/stack_report.h"

namespace wperf::report {

struct LookFacts {
  std::string of;                                       // "the machine", "process 12", "prog.exe"
  double seconds = 0;                                   // the sampled time
  bool has_ended = false;                               // the program
  const std::vector<waits::WaitedIn>* waits = nullptr;  // the longest first; null: not recorded
  // Counts in addition to the samples; null if there are none.
  const std::vector<answers::CountRow>* counters = nullptr;
};

// Less was sampled than happened: rates are too small.
bool is_incomplete(const stacks::StackLosses& losses);
// "cycles 3.02 G/s" of each event that was sampled.
std::string rates_text(const stacks::StackProfile& profile, double seconds);
// The number of a sampled event per second; for clocks in nanoseconds, the number of cores.
bool is_clock_event(const stacks::StackEvent& event);

// How often an event was counted, for as much of the time as it had a counter.
std::string counter_text(const answers::CountRow& row);

// For one row.
std::string waiting_function(const waits::WaitedIn& row);
// Many threads may wait: 5.2 s in one second are 5.2 of them on average.
std::string waited_text(u64 begun, u64 waited_ns, double seconds);

std::string top_text(const stacks::StackProfile& profile, const LookFacts& facts, const StackOptions& options);
std::string top_json(const stacks::StackProfile& profile, const LookFacts& facts, const StackOptions& options);

}  // namespace wperf::report
