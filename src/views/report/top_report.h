// SPDX-License-Identifier: BSD-3-Clause
// The answers of `top --once`: how long it sampled and how often events occurred, followed by a report of the
// recording. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/waits/live_waits.h"
#include "model/answers/count_profile.h"
#include "views/report/stack_report.h"

namespace wperf::report {

struct TopFacts {
  std::string of;          // "the machine", "process 12", "prog.exe"
  double seconds = 0;      // duration of sampling
  bool has_ended = false;  // the program has ended
  const std::vector<waits::FunctionWaits>* waits =
      nullptr;  // ordered by duration, the longest first; null if not recorded
  // Counts in addition to the samples; null without counters.
  const std::vector<answers::CountRow>* counters = nullptr;
};

// Are samples missing? Then the rates are too small.
bool is_incomplete(const stacks::StackLosses& losses);
// "cycles 3.02 G/s", for each sampled event.
std::string rates_text(const stacks::StackProfile& profile, double seconds);
// Does the event count the nanoseconds of a clock? Then its rate is shown as the number of cores.
bool is_clock_event(const stacks::StackEvent& event);

// The rate of a counted event during the time in which it was on a counter.
std::string counter_text(const answers::CountRow& row);

// The function's name in a row.
std::string waiting_function(const waits::FunctionWaits& row);
// Several threads can wait at the same time: 5.2 s in one second means that 5.2 threads waited on average.
std::string waited_text(u64 begun, u64 waited_ns, double seconds);

std::string top_text(const stacks::StackProfile& profile, const TopFacts& facts, const StackOptions& options);
std::string top_json(const stacks::StackProfile& profile, const TopFacts& facts, const StackOptions& options);

}  // namespace wperf::report
