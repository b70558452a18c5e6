// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/compare/function_names.h"

namespace wperf::compare {
namespace {

using request::FailCondition;

// A total or a row to which a condition applies.
struct Candidate {
  std::string what;
  double ratio = 1, low = 0, high = 0;
  bool has_interval = true;
  bool is_significant = false;
  std::optional<u32> function = {};  // set if it is a function
};

// "f (cycles): +20.1 % (95 % interval +11.3 to +29.5 %)"
std::string change_of(const Candidate& one) {
  const std::string change = std::isinf(one.ratio) ? "from zero to something" : change_text(one.ratio);
  if (std::isinf(one.low)) return one.what + ": " + change;
  return fmt::format("{}: {} (95 % interval {})", one.what, change, ratio_interval_text(one.low, one.high));
}

// Explains why there is no result for a total without an interval.
std::string why_unclear(const Candidate& one) {
  if (std::isnan(one.ratio)) return one.what + " was 0 in most runs before, so it has no ratio";
  const std::string change = std::isinf(one.ratio) ? "started at zero"
                             : one.ratio >= kTimes ? "grew " + times_text(one.ratio)
                                                   : "changed by " + change_text(one.ratio);
  return fmt::format(
      "{} {}, but one run per side gives no interval for it: a condition on totals needs at least 4 runs per side",
      one.what, change);
}

// Says how many runs are needed on each side if runs differ as much as these. The interval shrinks with the square root
// of the number of runs.
std::string runs_needed(const Candidate& one, double allowed, usize runs) {
  constexpr double kFewest = 4, kMost = 1000;
  const double beyond = std::log(one.ratio / allowed), to_low = std::log(one.ratio / one.low);
  double needed = 2 * static_cast<double>(runs);
  if (!(one.low > allowed)) needed = std::ceil(static_cast<double>(runs) * (to_low / beyond) * (to_low / beyond));
  if (!(needed <= kMost)) return fmt::format("more than {:.0f} runs per side", kMost);
  return fmt::format("about {:.0f} runs per side", std::max(needed, std::max(kFewest, static_cast<double>(runs) + 1)));
}

double allowed_by(const FailCondition& condition) {
  return 1 + condition.percent / 100;
}

// A gate never fails on a change that the tables attribute to chance.
bool fails(const Candidate& one, double allowed) {
  return one.has_interval && one.is_significant && one.low > allowed;
}

Verdict failed_on(const Candidate& one, const FailCondition& condition) {
  return {
      .kind = Verdict::Kind::failed,
      .condition = condition.text,
      .name = condition.name == "*" ? one.what : std::string(),
      .why = fmt::format("{}, and the whole interval is above the allowed {:.6g} %", change_of(one), condition.percent),
      .function = one.function,
      .source = {}};
}

// For a condition on `*`: returns a separate verdict for each failure.
std::vector<Verdict> failures_of(const FailCondition& condition, std::vector<Candidate> candidates) {
  constexpr usize kMost = 20;  // longer lists are not read
  std::erase_if(candidates, [&](const Candidate& one) { return !fails(one, allowed_by(condition)); });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.low > b.low; });
  std::vector<Verdict> verdicts;
  for (const Candidate& one : candidates) {
    if (verdicts.size() < kMost) verdicts.push_back(failed_on(one, condition));
  }
  if (candidates.size() > kMost) verdicts.back().why += fmt::format("; {} more failed", candidates.size() - kMost);
  return verdicts;
}

// For a condition on one name, or for a condition on `*` if no name fails.
Verdict verdict_of(const FailCondition& condition, const std::vector<Candidate>& candidates, usize runs) {
  Verdict verdict{.condition = condition.text, .why = {}, .function = {}, .source = {}};
  const double allowed = allowed_by(condition);
  const Candidate *worst = nullptr, *unclear = nullptr;
  for (const Candidate& one : candidates) {
    if (!one.has_interval) {
      unclear = &one;
      continue;
    }
    const auto rank = [&](const Candidate& other) { return std::pair(fails(other, allowed), other.low); };
    if (worst == nullptr || rank(one) > rank(*worst)) worst = &one;
  }
  if (worst != nullptr && fails(*worst, allowed)) return failed_on(*worst, condition);
  if (unclear != nullptr) {
    verdict.kind = Verdict::Kind::unknown;
    verdict.why = why_unclear(*unclear);
    return verdict;
  }
  verdict.function = worst->function;
  // Among many rows, some row usually exceeds the limit by chance.
  const bool may_fail = worst->ratio > allowed && (condition.name != "*" || worst->low > 1);
  verdict.kind = may_fail ? Verdict::Kind::unsure : Verdict::Kind::passed;
  const std::string bound = fmt::format("the allowed {:.6g} %", condition.percent);
  const std::string why = may_fail ? fmt::format("which may be chance: to decide whether it is more than {} takes {}",
                                                 bound, runs_needed(*worst, allowed, runs))
                                   : "which is not more than " + bound;
  verdict.why = change_of(*worst) + ", " + why;
  return verdict;
}

// If some runs counted 0, the ratio does not exist. Then this returns the shift relative to the median of the side
// before.
Candidate shift_of(const TotalChange& total) {
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  Candidate one{.what = total.event, .is_significant = total.is_significant};
  if (total.median_after <= total.median_before || !total.is_significant) {
    // A change from 0 to 0 is not growth, and a change that may be chance does not count as growth.
    if (total.median_before == 0) return {.what = total.event, .ratio = 1, .low = 1, .high = 1};
  } else if (std::all_of(total.before.begin(), total.before.end(), [](double value) { return value == 0; })) {
    one.ratio = one.low = one.high = kBeyond;  // growth from zero exceeds any percentage
    return one;
  } else if (total.median_before == 0) {
    one.has_interval = false;
    one.ratio = std::numeric_limits<double>::quiet_NaN();
    return one;
  }
  const Shift shift = shift_between(total.before, total.after, kConfidence);
  one.ratio = 1 + shift.median / total.median_before;
  one.low = 1 + shift.low / total.median_before;
  one.high = 1 + shift.high / total.median_before;
  one.has_interval = std::isfinite(one.low) && std::isfinite(one.high);
  return one;
}

// Does the condition apply to the row? `module_before`: the module's name on the side before.
bool is_of(const FailCondition& condition, const UnitChange& row, std::string_view module_before) {
  switch (condition.kind) {
    case FailCondition::Kind::function:
    case FailCondition::Kind::inclusive:
      return is_meant(condition.name, row.name) || (!row.was.empty() && is_meant(condition.name, row.was)) ||
             std::any_of(row.with.begin(), row.with.end(), [&](const std::string& name) {
               return condition.name != "*" && is_meant(condition.name, name);
             });
    case FailCondition::Kind::module:
      return condition.name == "*" || condition.name == row.module || condition.name == module_before;
    default:
      return condition.name == "*" || condition.name == row.name;
  }
}

UnitKind unit_kind(FailCondition::Kind kind) {
  return kind == FailCondition::Kind::function    ? UnitKind::function
         : kind == FailCondition::Kind::inclusive ? UnitKind::inclusive
         : kind == FailCondition::Kind::module    ? UnitKind::module
                                                  : UnitKind::line;
}

const std::vector<UnitChange>& rows_of(const EventChange& event, FailCondition::Kind kind) {
  return *event.lists()[static_cast<usize>(unit_kind(kind))];
}

std::string_view kind_word(FailCondition::Kind kind) {
  return kind == FailCondition::Kind::module ? "module" : kind == FailCondition::Kind::line ? "line" : "function";
}

// For a function that has samples but no row: the functions that it was inlined into. Empty if it was not inlined.
std::string hosts_of(const Comparison& comparison, u32 unit) {
  for (const EventChange& event : comparison.events) {
    for (const auto& [inlined, hosts] : event.inlined) {
      if (inlined == unit) return hosts;
    }
  }
  return {};
}

bool is_uncounted(const Comparison& comparison, const FailCondition& condition) {
  return std::find(comparison.uncounted.begin(), comparison.uncounted.end(), condition.name) !=
         comparison.uncounted.end();
}

// Does the condition need a time that runs ended by --timeout do not have?
bool is_of_stopped_runs(const Comparison& comparison, const FailCondition& condition) {
  return !comparison.stopped.empty() && condition.kind == FailCondition::Kind::total &&
         (condition.name == kElapsed || condition.name == kCpuTime || condition.name == "*");
}

// The reason why there is no result for this name.
std::string absence_of(const Comparison& comparison, const FailCondition& condition) {
  if (condition.kind == FailCondition::Kind::total) {
    return is_uncounted(comparison, condition) ? "it was never scheduled on a counter; count fewer events at once"
                                               : "no event with this name was measured on both sides";
  }
  if (comparison.events.empty())
    return fmt::format("these files have only counts and no {}s; use recordings", kind_word(condition.kind));
  bool has_kind = false, is_seen = false;
  std::string hosts;
  const UnitKind kind = unit_kind(condition.kind);
  const MatchedUnits& matched = comparison.matched;
  for (usize i = 0; i < matched.units.size(); ++i) {
    const Unit& unit = matched.units[i];
    if (unit.kind != kind) continue;
    has_kind = true;
    UnitChange row;
    row.module = unit.module;
    row.name = unit.name;
    row.was = matched.others[i].name;
    if (!is_of(condition, row, matched.modules[i])) continue;
    is_seen = true;
    if (hosts.empty()) hosts = hosts_of(comparison, static_cast<u32>(i));
  }
  if (kind == UnitKind::inclusive && !has_kind) return "inclusive costs need recordings with callers: record with -g";
  if (!hosts.empty())
    return fmt::format("it is inlined on both sides; its cost is part of the functions it is inlined into: {}", hosts);
  if (kind == UnitKind::line && !has_kind)
    return "comparing lines needs --sort symbol,line and debug information with lines";
  if (is_seen) return fmt::format("it has fewer than {:.0f} samples, too few to judge it", kFewestSamples);
  return fmt::format("no {} with this name has samples on either side", kind_word(condition.kind));
}

std::vector<Candidate> totals_of(const Comparison& comparison, const FailCondition& condition) {
  std::vector<Candidate> candidates;
  for (const TotalChange& total : comparison.totals) {
    if (!is_total(comparison, condition.name, total)) continue;
    if (total.has_ratio) {
      candidates.push_back({total.event, total.ratio, total.low, total.high, total.has_interval, total.is_significant});
    } else if (comparison.is_one_run && total.median_before > 0) {
      candidates.push_back({.what = total.event, .ratio = 0, .has_interval = total.median_after == 0});
    } else if (comparison.is_one_run && total.median_after > 0) {
      candidates.push_back(
          {.what = total.event, .ratio = std::numeric_limits<double>::infinity(), .has_interval = false});
    } else {
      candidates.push_back(shift_of(total));
    }
  }
  return candidates;
}

std::vector<Candidate> units_of(const Comparison& comparison, const FailCondition& condition) {
  std::vector<Candidate> candidates;
  for (const EventChange& event : comparison.events) {
    for (const UnitChange& row : rows_of(event, condition.kind)) {
      if (!is_of(condition, row, comparison.matched.modules[row.unit])) continue;
      const RateChange change = row.change();
      const std::string& what = row.kind == UnitKind::module ? row.module : row.name;
      candidates.push_back({.what = what + " (" + event.event + ')',
                            .ratio = change.ratio,
                            .low = change.low,
                            .high = change.high,
                            .is_significant = row.is_significant,
                            .function = row.kind == UnitKind::function ? std::optional(row.unit) : std::nullopt});
    }
  }
  return candidates;
}

// The reason why functions and lines of some code were not compared; empty if all were compared.
std::string_view nameless_in(const Comparison& comparison, const FailCondition& condition) {
  if (condition.kind == FailCondition::Kind::total || condition.kind == FailCondition::Kind::module) return {};
  for (const EventChange& event : comparison.events) {
    if (!event.nameless.empty()) return event.nameless.front();
  }
  return {};
}

std::vector<Verdict> judge_one(const Comparison& comparison, const FailCondition& condition) {
  const std::vector<Candidate> candidates =
      condition.kind == FailCondition::Kind::total ? totals_of(comparison, condition) : units_of(comparison, condition);
  if (condition.name == "*") {
    if (std::vector<Verdict> failed = failures_of(condition, candidates); !failed.empty()) return failed;
  }
  const std::string_view nameless = nameless_in(comparison, condition);
  const usize runs = std::min(comparison.files_before.size(), comparison.files_after.size());
  Verdict verdict{.kind = Verdict::Kind::unknown, .condition = condition.text, .why = {}, .function = {}, .source = {}};
  if (!candidates.empty()) verdict = verdict_of(condition, candidates, runs);
  // A condition on `*` cannot pass if some names are missing.
  if (!nameless.empty() && (candidates.empty() || condition.name == "*")) {
    verdict.kind = Verdict::Kind::unknown;
    verdict.why = nameless;
  } else if (is_of_stopped_runs(comparison, condition)) {
    verdict.kind = Verdict::Kind::unknown;
    verdict.why = comparison.stopped + ", so their times are not costs";
  } else if (candidates.empty()) {
    verdict.why = condition.name + ": " + absence_of(comparison, condition);
    verdict.is_misnamed = condition.kind == FailCondition::Kind::total && !is_uncounted(comparison, condition);
  }
  return {std::move(verdict)};
}

std::string percent_number(double ratio) {
  const double percent = 100 * (ratio - 1);
  const double size = std::abs(percent);
  return fmt::format("{:+.{}f}", percent, size < 0.0995 && size > 0 ? 3 : size < 0.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

bool is_total(const Comparison& comparison, std::string_view name, const TotalChange& total) {
  if (name == "*" || name == total.event) return true;
  if (name != kCpuTime || total.unit != CostUnit::nanoseconds) return false;
  return std::none_of(comparison.totals.begin(), comparison.totals.end(),
                      [](const TotalChange& one) { return one.event == kCpuTime; });
}

std::vector<Verdict> judge(const Comparison& comparison, const std::vector<FailCondition>& conditions) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(conditions.size());
  for (const FailCondition& condition : conditions) {
    for (Verdict& verdict : judge_one(comparison, condition)) verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string times_text(double ratio) {
  if (ratio > kManyTimes) return fmt::format("more than {:.0f} times", kManyTimes);
  return ratio < 999.5 ? fmt::format("{:.3g} times", ratio) : fmt::format("{:.0f} times", ratio);
}

std::string change_text(double ratio) {
  return ratio >= kTimes ? times_text(ratio) : percent_number(ratio) + " %";
}

std::string ratio_interval_text(double low, double high) {
  if (!(high < kManyTimes)) {
    if (low <= 0) return "unknown";
    return low > kManyTimes ? times_text(low) : change_text(low) + " or more";
  }
  return (high >= kTimes ? change_text(low) : percent_number(low)) + " to " + change_text(high);
}

}  // namespace wperf::compare
