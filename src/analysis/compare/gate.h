// SPDX-License-Identifier: BSD-3-Clause
// Judges the conditions of --fail-if: a gate fails only on a change that the tables call significant, if its whole
// interval is beyond the limit. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "model/request/comparison_wishes.h"

namespace wperf::compare {

struct Verdict {
  // unsure: it grew by more than the limit, but that may be chance; unknown: there is no judgement for this name, or no
  // interval.
  enum class Kind { passed, failed, unsure, unknown };
  Kind kind = Kind::passed;
  std::string condition;             // as typed
  std::string name = {};             // for a condition on anything: the name that failed
  std::string why;                   // a sentence without a full stop
  std::optional<u32> function;       // if a function decided: its index into Comparison::matched
  std::optional<SourceLine> source;  // its beginning, if that was looked up
  bool is_misnamed = false;          // no total has this name
};
// Whether a name means an event's costs: "cpu-time" also means a clock that counts it if no other total does.
bool is_total(const Comparison& comparison, std::string_view name, const TotalChange& total);

// One for each condition; if a condition on anything failed, one for each name that failed, the worst first.
std::vector<Verdict> judge(const Comparison& comparison, const std::vector<request::FailCondition>& conditions);

}  // namespace wperf::compare
