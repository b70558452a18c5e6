// SPDX-License-Identifier: BSD-3-Clause
// Conditions of --fail-if, judged: a gate fails only on what the tables call sure, where all of its interval is more
// than allowed. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "model/request/comparison_wishes.h"

namespace wperf::compare {

struct Verdict {
  // unsure: it grew by more than is allowed, but that may be chance; unknown: nothing of this name can be judged, or it
  // has no interval.
  enum class Kind { passed, failed, unsure, unknown };
  Kind kind = Kind::passed;
  std::string condition;             // as typed
  std::string name = {};             // for a condition on anything: the name it failed on
  std::string why;                   // a sentence without a full stop
  std::optional<u32> function;       // if a function decided: its index into Comparison::matched
  std::optional<SourceLine> source;  // its beginning, if that was looked for
  bool is_misnamed = false;          // no total is called so
};
// Whether a name means an event's costs: "cpu-time" also means a clock that counts it if no other total does.
bool is_total(const Comparison& comparison, std::string_view name, const TotalChange& total);

// One for each condition; if a condition on anything failed, one for each name that it failed on, the worst first.
std::vector<Verdict> judge(const Comparison& comparison, const std::vector<request::FailCondition>& conditions);

}  // namespace wperf::compare
