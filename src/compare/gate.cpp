// SPDX-License-Identifier: BSD-3-Clause
#include "compare/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "compare/name_keys.h"

namespace wperf::compare {
namespace {

using request::FailCondition;

std::string percent_of(double ratio) {
  if (std::isinf(ratio)) return ratio > 0 ? "any number of %" : "nothing";
  return fmt::format("{:+.3g} %", 100 * (ratio - 1));
}

// How sure a ratio is that exceeds what is allowed, in words.
struct Candidate {
  std::string what;
  double ratio = 1, low = 0, high = 0;
  bool has_interval = true;
  std::optional<u32> function = {};  // where it is one
};

Verdict verdict_of(const FailCondition& condition, const std::vector<Candidate>& candidates) {
  Verdict verdict{.condition = condition.text, .why = {}, .function = {}, .source = {}};
  const double allowed = 1 + condition.percent / 100;
  const Candidate* worst = nullptr;
  for (const Candidate& one : candidates) {
    if (!one.has_interval) {
      verdict.kind = Verdict::Kind::unknown;
      verdict.why = one.what + " changed by " + percent_of(one.ratio) +
                    ", but these runs have no interval for it: a gate on totals needs several runs a side";
      return verdict;
    }
    if (worst == nullptr || one.low > worst->low) worst = &one;
  }
  if (worst == nullptr) {
    verdict.kind = Verdict::Kind::unknown;
    verdict.why = condition.name + ": nothing of this name was measured on both sides";
    return verdict;
  }
  verdict.function = worst->function;
  const bool fails = worst->low > allowed;
  verdict.kind = fails ? Verdict::Kind::failed : Verdict::Kind::passed;
  verdict.why = fmt::format("{}: {} (95 % interval {} to {}), {} {:.6g} %", worst->what, percent_of(worst->ratio),
                            percent_of(worst->low), percent_of(worst->high),
                            fails ? "all of it more than the allowed" : "which need not be more than the allowed",
                            condition.percent);
  return verdict;
}

bool is_of(const FailCondition& condition, const UnitChange& row) {
  switch (condition.kind) {
    case FailCondition::Kind::function:
      return is_meant(condition.name, row.name) || (!row.was.empty() && is_meant(condition.name, row.was));
    case FailCondition::Kind::module:
      return condition.name == "*" || condition.name == row.module;
    default:
      return condition.name == "*" || condition.name == row.name;
  }
}

const std::vector<UnitChange>& rows_of(const EventChange& event, FailCondition::Kind kind) {
  return kind == FailCondition::Kind::function ? event.functions
         : kind == FailCondition::Kind::module ? event.modules
                                               : event.lines;
}

Verdict judge_one(const Comparison& comparison, const FailCondition& condition) {
  std::vector<Candidate> candidates;
  if (condition.kind == FailCondition::Kind::total) {
    for (const TotalChange& total : comparison.totals) {
      if (condition.name != "*" && condition.name != total.event) continue;
      if (total.has_ratio) {
        candidates.push_back({total.event, total.ratio, total.low, total.high, total.has_interval});
      } else if (total.median_after <= total.median_before) {
        candidates.push_back({total.event, 1, 1, 1});  // nothing is not more than nothing
      } else {
        // From nothing to something is more than any percentage: where that is sure.
        constexpr double kBeyond = std::numeric_limits<double>::infinity();
        candidates.push_back({total.event, kBeyond, kBeyond, kBeyond, total.found});
      }
    }
    return verdict_of(condition, candidates);
  }
  for (const EventChange& event : comparison.events) {
    for (const UnitChange& row : rows_of(event, condition.kind)) {
      if (!is_of(condition, row)) continue;
      const RateChange change = row.change();
      // Of any name: only what is found among all, else chance alone would fail the gate.
      if (condition.name == "*" && !row.found && change.low > 1) continue;
      const std::string what = row.kind == UnitKind::module ? row.module : row.name;
      candidates.push_back({.what = what + " (" + event.event + ')',
                            .ratio = change.ratio,
                            .low = change.low,
                            .high = change.high,
                            .function = row.kind == UnitKind::function ? std::optional(row.unit) : std::nullopt});
    }
  }
  return verdict_of(condition, candidates);
}

}  // namespace

std::vector<Verdict> judge(const Comparison& comparison, const std::vector<FailCondition>& conditions) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(conditions.size());
  for (const FailCondition& condition : conditions) verdicts.push_back(judge_one(comparison, condition));
  return verdicts;
}

}  // namespace wperf::compare
