// SPDX-License-Identifier: BSD-3-Clause
// Conditions of --fail-if, judged: a gate fails only on what the tables call sure, where all of its interval is more
// than allowed. Pure.
// Called by run_diff and run_bench; shown by views/report/diff_gate.
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
  std::string name = {};             // of a condition on anything: what it failed on
  std::string why;                   // a sentence without its end
  std::optional<u32> function;       // the one that decided, where it was one: index into Comparison::matched
  std::optional<SourceLine> source;  // where it begins, where that was looked for
  bool is_misnamed = false;          // no total is called so
};
// Of an event's costs, whatever they are called: "cpu-time" is a clock that counts it where nothing else does.
bool is_total(const Comparison& comparison, std::string_view name, const TotalChange& total);

// One for each condition; of a condition on anything that failed, one for each name that it failed on, the worst first.
std::vector<Verdict> judge(const Comparison& comparison, const std::vector<request::FailCondition>& conditions);

}  // namespace wperf::compare
