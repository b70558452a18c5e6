// SPDX-License-Identifier: BSD-3-Clause
// Judges the conditions of --fail-if: a gate fails only on a change that the tables call significant, if its whole
// interval is beyond the limit. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "model/request/comparison_request.h"

namespace wperf::compare {

struct Verdict {
  // unsure: it grew by more than the limit, but that may be chance. unknown: there is no result for this name, or no
  // interval.
  enum class Kind { passed, failed, unsure, unknown };
  Kind kind = Kind::passed;
  std::string condition;             // as the user typed it
  std::string name = {};             // for a condition on `*`: the name that failed
  std::string why;                   // a sentence without a full stop
  std::optional<u32> function;       // index into Comparison::matched, if the condition was judged by a function
  std::optional<SourceLine> source;  // where the function begins, if that was looked up
  bool is_misnamed = false;          // no total has this name
};
// Does this name mean the costs of that event? If no total is called "cpu-time", the name means the clock events that
// count CPU time.
bool is_total(const Comparison& comparison, std::string_view name, const TotalChange& total);

// One verdict for each condition; for a condition on `*` that failed, one for each name that failed, the worst first.
std::vector<Verdict> judge(const Comparison& comparison, const std::vector<request::FailCondition>& conditions);

// Ratios of costs as readable text: percentages. From kTimes on, a ratio is printed as "N times", and from kManyTimes
// on without its exact value.
inline constexpr double kTimes = 10, kManyTimes = 1000;

std::string times_text(double ratio);                      // "28 times", "more than 1000 times"
std::string change_text(double ratio);                     // "+5.2 %", "28 times"
std::string ratio_interval_text(double low, double high);  // "+11.3 to +29.5 %", "+648 % or more"

}  // namespace wperf::compare
