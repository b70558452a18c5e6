// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/compare/dispersion.h"
#include "analysis/compare/run_checks.h"
#include "analysis/compare/total_changes.h"
#include "analysis/compare/unit_changes.h"

namespace wperf::compare {
namespace {

using Side = std::vector<RunCosts>;

const EventCosts* find_event(const RunCosts& run, std::string_view event) {
  for (const EventCosts& one : run.events) {
    if (one.event == event) return &one;
  }
  return nullptr;
}
const ExactCount* find_count(const RunCosts& run, std::string_view event) {
  for (const ExactCount& one : run.counts) {
    if (one.event == event) return &one;
  }
  return nullptr;
}

class Comparer {
 public:
  Comparer(const Side& before, const Side& after, const ComparisonOptions& options)
      : before_(before), after_(after), options_(options) {
    for (const Side* side : {&before, &after}) {
      for (const RunCosts& run : *side) runs_.push_back(&run);
    }
  }

  diag::Result<Comparison> compare() {
    WPERF_CHECK_OK(check_run_counts(before_.size(), after_.size()));
    out_.is_one_run = before_.size() == 1 && after_.size() == 1;
    for (const RunCosts& run : before_) out_.files_before.push_back(run.file);
    for (const RunCosts& run : after_) out_.files_after.push_back(run.file);
    out_.fleet_before = before_.front().fleet;
    out_.fleet_after = after_.front().fleet;
    const std::vector<std::string> events = common_names([](const RunCosts& run) -> auto& { return run.events; });
    const std::vector<std::string> counts = common_names([](const RunCosts& run) -> auto& { return run.counts; });
    if (events.empty() && counts.empty()) {
      const bool are_recordings =
          std::none_of(runs_.begin(), runs_.end(), [](const RunCosts* run) { return run->events.empty(); });
      return diag::usage_error("these files have no event in common, so there is nothing to compare",
                               are_recordings
                                   ? "`wperf report FILE` shows the events of a recording"
                                   : "compare recordings, or count the same events: wperf stat --json -e EVENTS");
    }
    const Per asked = options_.per.value_or(Per::run), of_totals = asked == Per::share ? Per::run : asked;
    WPERF_CHECK_OK(add_times(of_totals));
    for (const std::string& event : counts) WPERF_CHECK_OK(add_total(event, of_totals, true));
    for (const std::string& event : events) WPERF_CHECK_OK(add_total(event, of_totals, false));
    if (!out_.is_one_run) find_totals(out_.totals);
    if (!events.empty()) {
      out_.matched = match_units(before_, after_, options_.open);
      for (const std::string& note : out_.matched.notes) out_.notes.push_back(note);
      for (const std::string& event : events) WPERF_CHECK_OK(add_event(event));
      if (out_.events.empty() && counts.empty()) return diag::Error{.text = why_nothing_, .hint = {}};
      find_units();
      note_nameless_code();
    }
    note_missing_samples();
    if (!out_.fleet_before.empty() || !out_.fleet_after.empty()) {
      out_.notes.emplace_back("Each host of a fleet is one run, with the mean of its profiles.");
    }
    note_losses();
    return std::move(out_);
  }

 private:
  template <typename Names>
  std::vector<std::string> common_names(const Names& names_of);
  bool notes_stopped_runs();
  diag::Result<void> add_times(Per per);
  diag::Result<void> add_total(const std::string& event, Per per, bool is_counted);
  diag::Result<void> add_total(TotalChange total, Per per, const std::function<double(const RunCosts&)>& value_of);
  diag::Result<void> add_event(const std::string& event);
  diag::Result<Runs> measures_of(const EventRuns& event, Per per) const;
  void leave_out(std::string_view event, usize side, std::string_view what);
  void find_units();
  void note_shares(const EventChange& change);
  bool is_noted_as_nameless(std::string_view module) const;
  void note_nameless_code();
  void note_missing_samples();
  void note_losses();

  const Side &before_, &after_;
  const ComparisonOptions& options_;
  std::vector<const RunCosts*> runs_;
  Comparison out_;
  std::string why_nothing_;  // why no event of these runs can be compared
};

// The names that all runs have, in the order of the first run. Adds a note about names that only some runs have.
template <typename Names>
std::vector<std::string> Comparer::common_names(const Names& names_of) {
  std::vector<std::string> names, missing;
  for (const RunCosts* run : runs_) {
    for (const auto& one : names_of(*run)) {
      if (std::find(names.begin(), names.end(), one.event) != names.end()) continue;
      if (std::find(missing.begin(), missing.end(), one.event) != missing.end()) continue;
      const auto has_it = [&](const RunCosts* other) {
        const auto& list = names_of(*other);
        return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.event == one.event; });
      };
      (std::all_of(runs_.begin(), runs_.end(), has_it) ? names : missing).push_back(one.event);
    }
  }
  for (const std::string& name : missing)
    out_.notes.push_back(fmt::format("{} is not in all files, so it is not compared.", name));
  return names;
}

// Adds a note and returns true if --timeout ended the program of some run.
bool Comparer::notes_stopped_runs() {
  const auto stopped_of = [](const Side& side) {
    return std::count_if(side.begin(), side.end(), [](const RunCosts& run) { return run.was_stopped; });
  };
  const auto before = stopped_of(before_), after = stopped_of(after_);
  if (before == 0 && after == 0) return false;
  out_.stopped = fmt::format("--timeout ended {} of {} runs before and {} of {} after", before, before_.size(), after,
                             after_.size());
  out_.notes.push_back(out_.stopped + ", so elapsed and cpu-time are not compared; counts end at the timeout.");
  return true;
}

// Adds the elapsed times and CPU times of the runs, if all runs have them.
diag::Result<void> Comparer::add_times(Per per) {
  if (per == Per::second || notes_stopped_runs()) return {};
  for (const auto& [name, member] : {std::pair(kElapsed, &RunCosts::seconds), {kCpuTime, &RunCosts::cpu_seconds}}) {
    const auto value_of = [which = member](const RunCosts& run) { return run.*which; };
    const auto known =
        std::count_if(runs_.begin(), runs_.end(), [&](const RunCosts* run) { return value_of(*run) > 0; });
    if (known != std::ssize(runs_)) {
      if (known != 0) out_.notes.push_back(fmt::format("{} is not known for all runs, so it is not compared.", name));
      continue;
    }
    TotalChange total{.event = std::string(name), .unit = CostUnit::seconds, .is_counted = true};
    WPERF_CHECK_OK(add_total(std::move(total), per, value_of));
  }
  return {};
}

diag::Result<void> Comparer::add_total(const std::string& event, Per per, bool is_counted) {
  if (per == Per::counter && event == options_.counter) per = Per::run;
  TotalChange total{.event = event, .unit = unit_of_event(event), .is_counted = is_counted};
  return add_total(std::move(total), per, [&](const RunCosts& run) {
    return is_counted ? find_count(run, event)->value : find_event(run, event)->cost;
  });
}

diag::Result<void> Comparer::add_total(TotalChange total, Per per,
                                       const std::function<double(const RunCosts&)>& value_of) {
  for (usize run = 0; run < runs_.size(); ++run) {
    WPERF_TRY(const double measure, measure_of(*runs_[run], per, options_.counter));
    (run < before_.size() ? total.before : total.after).push_back(value_of(*runs_[run]) / measure);
  }
  total.median_before = median_of(total.before);
  total.median_after = median_of(total.after);
  const auto is_positive = [](double value) { return value > 0; };
  total.has_ratio = std::all_of(total.before.begin(), total.before.end(), is_positive) &&
                    std::all_of(total.after.begin(), total.after.end(), is_positive);
  total.answer = rank_test(total.before, total.after);
  if (total.has_ratio) {
    std::vector<double> before = total.before, after = total.after;
    for (double& value : before) value = std::log(value);
    for (double& value : after) value = std::log(value);
    const Shift shift = shift_between(before, after, kConfidence);
    // The ratio of the medians may be outside of the interval, so the interval is extended to include it.
    total.ratio = total.median_after / total.median_before;
    total.low = std::min(total.ratio, std::exp(shift.low));
    total.high = std::max(total.ratio, std::exp(shift.high));
    total.has_interval = std::isfinite(shift.low) && std::isfinite(shift.high);
  }
  out_.totals.push_back(std::move(total));
  return {};
}

// Like the observed counts, the measures are in units of the side's mean sample, because chance depends on the number
// of samples, not on their cost.
diag::Result<Runs> Comparer::measures_of(const EventRuns& event, Per per) const {
  Runs runs{.exposures = {}, .before = before_.size(), .weights = {}};
  for (usize run = 0; run < runs_.size(); ++run) {
    WPERF_TRY(double measure, measure_of(*runs_[run], per, options_.counter));
    if (per == Per::share) measure = event.costs[run]->cost;
    runs.exposures.push_back(measure / (run < runs.before ? event.period_before : event.period_after));
  }
  return runs;
}

diag::Result<void> Comparer::add_event(const std::string& event) {
  EventChange change;
  change.event = event;
  change.unit = unit_of_event(event);
  change.per = options_.per.value_or(Per::run);
  EventRuns compared{.runs = runs_, .costs = {}, .matched = out_.matched, .measures = {}, .options = options_};
  double costs[2] = {0, 0}, samples[2] = {0, 0}, chosen[2] = {0, 0};
  for (usize run = 0; run < runs_.size(); ++run) {
    const EventCosts& of_run = *compared.costs.emplace_back(find_event(*runs_[run], event));
    const usize side = run < before_.size() ? 0 : 1;
    costs[side] += of_run.cost;
    samples[side] += of_run.samples;
    for (const UnitCost& unit : of_run.units) chosen[side] += unit.samples;
  }
  for (const usize side : {0, 1}) {
    if (costs[side] > 0 && samples[side] > 0 && chosen[side] > 0) continue;
    leave_out(event, side, costs[side] > 0 && samples[side] > 0 ? "no chosen samples" : "no samples");
    return {};
  }
  change.samples_before = static_cast<u64>(samples[0]);
  change.samples_after = static_cast<u64>(samples[1]);
  compared.period_before = costs[0] / samples[0];
  compared.period_after = costs[1] / samples[1];
  compared.is_one_run = out_.is_one_run;
  WPERF_TRY(compared.measures, measures_of(compared, change.per));
  compare_units(std::move(compared), change, out_.notes);
  if (change.per == Per::share) note_shares(change);
  out_.events.push_back(std::move(change));
  return {};
}

// Leaves out an event if one side has no samples of it. Otherwise all functions would seem to be new or gone.
void Comparer::leave_out(std::string_view event, usize side, std::string_view what) {
  const Side& runs = side == 0 ? before_ : after_;
  why_nothing_ = runs.size() == 1
                     ? fmt::format("{} has {} of {}", runs.front().file, what, event)
                     : fmt::format("all files {} have {} of {}", side == 0 ? "before" : "after", what, event);
  out_.notes.push_back(why_nothing_ + ", so functions of this event are not compared.");
}

// All rows are one family of tests, so that at most the share kWrongShare of the significant rows is wrong.
void Comparer::find_units() {
  std::vector<UnitChange*> rows;
  std::vector<double> answers;
  for (EventChange& event : out_.events) {
    for (auto* list : event.lists()) {
      for (UnitChange& row : *list) {
        rows.push_back(&row);
        answers.push_back(row.answer);
      }
    }
  }
  if (rows.empty() && (options_.module || options_.symbol))
    out_.notes.emplace_back("no event has samples with a name chosen by --module or --symbol");
  const std::vector<bool> found = found_among(answers, kWrongShare);
  // The limit for a row if no other row were significant (Bonferroni).
  const double sure_below = kWrongShare / static_cast<double>(std::max<usize>(1, rows.size()));
  for (usize i = 0; i < rows.size(); ++i) {
    rows[i]->is_significant = found[i];
    rows[i]->sure_below = sure_below;
  }
  for (EventChange& event : out_.events) {
    event.detectable_of_percent = detectable_ratio(event.of_percent, event.usual_scatter, 1 - sure_below);
    for (auto* list : event.lists())
      std::stable_partition(list->begin(), list->end(), [](const UnitChange& row) { return row.is_significant; });
  }
}

void Comparer::note_shares(const EventChange& change) {
  constexpr double kNotableRatio = 0.02;
  for (const TotalChange& total : out_.totals) {
    if (total.event != change.event || total.is_counted || !total.has_ratio) continue;
    const bool is_notable = out_.is_one_run ? std::abs(std::log(total.ratio)) > kNotableRatio : total.is_significant;
    if (!is_notable) return;
    out_.notes.push_back(fmt::format(
        "{} {} in total by {:.1f} %; shares do not show that, use --per run to compare the costs themselves.",
        change.event, total.ratio > 1 ? "grew" : "shrank", 100 * std::abs(total.ratio - 1)));
    return;
  }
}

bool Comparer::is_noted_as_nameless(std::string_view module) const {
  const std::string begin = fmt::format("functions of {} are not compared", module);
  return std::any_of(out_.events.begin(), out_.events.end(), [&](const EventChange& event) {
    return std::any_of(event.nameless.begin(), event.nameless.end(),
                       [&](const std::string& one) { return one.starts_with(begin); });
  });
}

// Reports each module once, with its reason.
void Comparer::note_nameless_code() {
  std::set<std::pair<std::string_view, std::string_view>> noted;
  for (const RunCosts* run : runs_) {
    for (const Unit& unit : run->units) {
      if (unit.has_name() || unit.file == stacks::kNothing || unit.samples < kFewestSamples) continue;
      const std::string& reason = run->files[unit.file].reason;
      if (reason.empty() || !noted.emplace(unit.module, reason).second || is_noted_as_nameless(unit.module)) continue;
      out_.notes.push_back(fmt::format("{}: functions of {} have no names: {}.", run->file, unit.module, reason));
    }
  }
}

// Reports missing samples, because runs that lack many samples cannot be compared with runs that lack few.
void Comparer::note_missing_samples() {
  constexpr double kNotableRatio = 0.01;
  double most = 0;
  for (const RunCosts* run : runs_) most = std::max(most, run->missing_share);
  if (most < kNotableRatio) return;
  out_.notes.push_back(
      fmt::format("Up to {:.0f} % of a run's samples are missing; the costs assume that they were like the others. "
                  "Record with a longer interval or a lower --freq.",
                  100 * most));
}

// Reports each loss once, because runs of a program have the same name, and mostly the same losses.
void Comparer::note_losses() {
  std::set<std::string> noted;
  for (const RunCosts* run : runs_) {
    for (const std::string& loss : run->losses) {
      std::string note = fmt::format("{}: {}", run->file, loss);
      if (noted.insert(note).second) out_.notes.push_back(std::move(note));
    }
    out_.uncounted.insert(out_.uncounted.end(), run->uncounted.begin(), run->uncounted.end());
  }
}

}  // namespace

diag::Result<double> measure_of(const RunCosts& run, Per per, const std::string& counter) {
  switch (per) {
    case Per::second:
      if (run.seconds > 0) return run.seconds;
      return diag::usage_error(fmt::format("--per second: {} does not contain its duration", run.file),
                               "use --per share or --per run");
    case Per::counter: {
      const ExactCount* count = find_count(run, counter);
      const EventCosts* event = find_event(run, counter);
      const double value = count != nullptr ? count->value : event != nullptr ? event->cost : 0;
      if (value > 0) return value;
      return diag::usage_error(fmt::format("--per {}: {} has no count of this event", counter, run.file),
                               "use share, second, run, or an event that is in all files");
    }
    default:
      return static_cast<double>(run.profiles);
  }
}

CostUnit unit_of_event(std::string_view event) {
  if (event.ends_with("(ns)") || event.ends_with("(nanoseconds)")) return CostUnit::nanoseconds;
  event = event.substr(0, event.find(':'));  // cpu-clock:u
  const bool is_clock = event == "cpu-clock" || event == "task-clock" || event == "Timer";
  return is_clock ? CostUnit::nanoseconds : CostUnit::count;
}

diag::Result<Comparison> compare_runs(const std::vector<RunCosts>& before, const std::vector<RunCosts>& after,
                                      const ComparisonOptions& options) {
  return Comparer(before, after, options).compare();
}

}  // namespace wperf::compare
