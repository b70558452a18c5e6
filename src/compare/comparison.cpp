// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "compare/dispersion.h"

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

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

diag::Error usage(std::string text, std::string hint) {
  return {.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::usage};
}

// What a run's costs are divided by; of a share, all samples of the event.
diag::Result<double> measure_of(const RunCosts& run, Per per, const std::string& counter) {
  switch (per) {
    case Per::second:
      if (run.seconds > 0) return run.seconds;
      return usage(fmt::format("--per second: nothing in {} tells how long it took", run.file), "--per share, or run");
    case Per::counter: {
      const ExactCount* count = find_count(run, counter);
      const EventCosts* event = find_event(run, counter);
      const double value = count != nullptr ? count->value : event != nullptr ? event->cost : 0;
      if (value > 0) return value;
      return usage(fmt::format("--per {}: {} has not counted it", counter, run.file),
                   "--per takes share, second, run, or an event that is in all files");
    }
    default:
      return 1.0;
  }
}

// Of a thing and one side.
struct SideSums {
  double samples = 0, cost = 0, inlined = 0;
  std::map<u32, double> hosts;  // what of it was inlined into each
};

class Comparer {
 public:
  Comparer(const Side& before, const Side& after, const ComparisonOptions& options)
      : before_(before), after_(after), options_(options) {
    for (const Side* side : {&before, &after}) {
      for (const RunCosts& run : *side) runs_.push_back(&run);
    }
  }

  diag::Result<Comparison> compare() {
    WPERF_CHECK_OK(check_runs());
    out_.is_one_run = before_.size() == 1 && after_.size() == 1;
    for (const RunCosts& run : before_) out_.files_before.push_back(run.file);
    for (const RunCosts& run : after_) out_.files_after.push_back(run.file);
    const std::vector<std::string> events = common_names([](const RunCosts& run) -> auto& { return run.events; });
    const std::vector<std::string> counts = common_names([](const RunCosts& run) -> auto& { return run.counts; });
    if (events.empty() && counts.empty()) {
      return usage("these have no event in common, so there is nothing to compare",
                   "`wperf report FILE` shows the events of a recording");
    }
    const Per asked = options_.per.value_or(Per::run), of_totals = asked == Per::share ? Per::run : asked;
    for (const std::string& event : counts) WPERF_CHECK_OK(add_total(event, of_totals, true));
    for (const std::string& event : events) WPERF_CHECK_OK(add_total(event, of_totals, false));
    find_totals();
    if (!events.empty()) {
      out_.matched = match_units(before_, after_, options_.open);
      for (const std::string& note : out_.matched.notes) out_.notes.push_back(note);
      for (const std::string& event : events) WPERF_CHECK_OK(add_event(event));
      find_units();
      tell_of_nameless_code();
    }
    for (const RunCosts* run : runs_) {
      for (const std::string& loss : run->losses) out_.notes.push_back(fmt::format("{}: {}", run->file, loss));
    }
    return std::move(out_);
  }

 private:
  diag::Result<void> check_runs() const;
  template <typename Names>
  std::vector<std::string> common_names(const Names& names_of);
  diag::Result<void> add_total(const std::string& event, Per per, bool is_counted);
  void find_totals();
  diag::Result<void> add_event(const std::string& event);
  diag::Result<Runs> measures_of(const std::string& event, Per per, double mean_period) const;
  void add_units(EventChange& change, const std::string& event, const Runs& runs, double mean_period);
  std::vector<Scatter> scatters_of(const std::vector<RunCounts>& counts, const Runs& runs,
                                   const std::vector<u32>& units, const std::string& event) const;
  std::string hosts_text(const SideSums& side) const;
  std::string inlining_note(const SideSums& before, const SideSums& after) const;
  void find_units();
  void tell_of_shares(const EventChange& change);
  void tell_of_nameless_code();

  const Side &before_, &after_;
  const ComparisonOptions& options_;
  std::vector<const RunCosts*> runs_;
  Comparison out_;
};

diag::Result<void> Comparer::check_runs() const {
  const usize before = before_.size(), after = after_.size();
  if (before == 0 || after == 0) return usage("a side has no runs", "wperf diff BEFORE... -- AFTER...");
  if ((before == 1 && after == 1) || smallest_rank_answer(before, after) <= 1 - kConfidence) return {};
  return usage(fmt::format("{} {} before and {} after can show nothing: were all of them greater after, that would "
                           "still happen by chance in {:.0f} % of such pairs",
                           before, before == 1 ? "run" : "runs", after, 100 * smallest_rank_answer(before, after)),
               "take at least 4 runs a side, better 5 to 10; or one run a side, which is compared by its samples");
}

// What every run has, in the order of the first. What others have is told.
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

diag::Result<void> Comparer::add_total(const std::string& event, Per per, bool is_counted) {
  if (per == Per::counter && event == options_.counter) per = Per::run;
  TotalChange total{.event = event, .is_counted = is_counted, .before = {}, .after = {}};
  for (usize run = 0; run < runs_.size(); ++run) {
    WPERF_TRY(const double measure, measure_of(*runs_[run], per, options_.counter));
    const double value = is_counted ? find_count(*runs_[run], event)->value : find_event(*runs_[run], event)->cost;
    (run < before_.size() ? total.before : total.after).push_back(value / measure);
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
    total.ratio = std::exp(shift.median);
    total.low = std::exp(shift.low);
    total.high = std::exp(shift.high);
    total.has_interval = std::isfinite(shift.low) && std::isfinite(shift.high);
  }
  out_.totals.push_back(std::move(total));
  return {};
}

void Comparer::find_totals() {
  if (out_.is_one_run) return;
  // What is the same in all runs (page faults that never happened) asks nothing: it does not count among the tests.
  std::vector<TotalChange*> asked;
  std::vector<double> answers;
  for (TotalChange& total : out_.totals) {
    const auto is_first = [&](double value) { return value == total.before.front(); };
    if (std::all_of(total.before.begin(), total.before.end(), is_first) &&
        std::all_of(total.after.begin(), total.after.end(), is_first))
      continue;
    asked.push_back(&total);
    answers.push_back(total.answer);
  }
  const std::vector<bool> found = found_among(answers, kWrongShare);
  for (usize i = 0; i < found.size(); ++i) asked[i]->found = found[i];
}

diag::Result<Runs> Comparer::measures_of(const std::string& event, Per per, double mean_period) const {
  Runs runs{.exposures = {}, .before = before_.size()};
  for (const RunCosts* run : runs_) {
    WPERF_TRY(double measure, measure_of(*run, per, options_.counter));
    if (per == Per::share) measure = find_event(*run, event)->cost / mean_period;
    runs.exposures.push_back(measure);
  }
  return runs;
}

diag::Result<void> Comparer::add_event(const std::string& event) {
  EventChange change;
  change.event = event;
  change.per = options_.per.value_or(Per::share);
  double cost = 0, samples = 0;
  for (usize run = 0; run < runs_.size(); ++run) {
    const EventCosts& costs = *find_event(*runs_[run], event);
    cost += costs.cost;
    samples += costs.samples;
    (run < before_.size() ? change.samples_before : change.samples_after) += static_cast<u64>(costs.samples);
  }
  if (cost <= 0 || samples <= 0) return {};
  const double mean_period = cost / samples;
  WPERF_TRY(const Runs runs, measures_of(event, change.per, mean_period));
  add_units(change, event, runs, mean_period);
  if (change.per == Per::share) tell_of_shares(change);
  out_.events.push_back(std::move(change));
  return {};
}

// Of one run a side what blocks of time tell, of the side that scatters more; else what runs tell.
std::vector<Scatter> Comparer::scatters_of(const std::vector<RunCounts>& counts, const Runs& runs,
                                           const std::vector<u32>& units, const std::string& event) const {
  if (!out_.is_one_run) return share_dispersion(counts, runs).scatters;
  std::vector<Scatter> by_unit(out_.matched.units.size()), out;
  for (usize run = 0; run < runs_.size(); ++run) {
    const std::vector<Scatter>& own = find_event(*runs_[run], event)->scatters;
    for (usize unit = 0; unit < own.size(); ++unit) {
      Scatter& known = by_unit[out_.matched.of_run[run][unit]];
      if (own[unit].factor > known.factor || std::isinf(known.degrees)) known = own[unit];
    }
  }
  out.reserve(units.size());
  for (const u32 unit : units) out.push_back(by_unit[unit]);
  return out;
}

void Comparer::add_units(EventChange& change, const std::string& event, const Runs& runs, double mean_period) {
  std::vector<RunCounts> all(out_.matched.units.size(), RunCounts{std::vector<double>(runs_.size(), 0)});
  std::vector<SideSums> sums(2 * out_.matched.units.size());
  for (usize run = 0; run < runs_.size(); ++run) {
    const EventCosts& of_event = *find_event(*runs_[run], event);
    const std::vector<UnitCost>& costs = of_event.units;
    const std::vector<u32>& numbers = out_.matched.of_run[run];
    const usize side_number = run < runs.before ? 0 : 1;
    for (const InlinedCost& one : of_event.inlined)
      sums[2 * numbers[one.unit] + side_number].hosts[numbers[one.host]] += one.cost;
    for (usize unit = 0; unit < costs.size(); ++unit) {
      const u32 number = numbers[unit];
      all[number].samples[run] += costs[unit].cost / mean_period;
      SideSums& side = sums[2 * number + side_number];
      side.samples += costs[unit].samples;
      side.cost += costs[unit].cost;
      side.inlined += costs[unit].inlined;
    }
  }
  SeenRates measures;
  for (usize run = 0; run < runs_.size(); ++run)
    (run < runs.before ? measures.exposure_before : measures.exposure_after) += runs.exposures[run];
  std::vector<double> factors;
  for (const UnitKind kind : {UnitKind::function, UnitKind::module, UnitKind::line}) {
    std::vector<RunCounts> counts;
    std::vector<u32> units;
    for (u32 unit = 0; unit < out_.matched.units.size(); ++unit) {
      const double samples = sums[2 * unit].samples + sums[2 * unit + 1].samples;
      if (out_.matched.units[unit].kind != kind || samples <= 0) continue;
      if (samples < kFewestSamples) {
        change.too_few += kind == UnitKind::function;
        continue;
      }
      counts.push_back(std::move(all[unit]));
      units.push_back(unit);
    }
    const std::vector<Scatter> scatters = scatters_of(counts, runs, units, event);
    auto& list = kind == UnitKind::function ? change.functions
                 : kind == UnitKind::module ? change.modules
                                            : change.lines;
    for (usize i = 0; i < units.size(); ++i) {
      const Unit& matched = out_.matched.units[units[i]];
      UnitChange row;
      row.unit = units[i];
      row.kind = kind;
      row.module = matched.module;
      row.name = matched.name;
      row.seen = measures;
      for (usize run = 0; run < runs_.size(); ++run)
        (run < runs.before ? row.seen.before : row.seen.after) += counts[i].samples[run];
      row.samples_before = static_cast<u64>(sums[2 * units[i]].samples);
      row.samples_after = static_cast<u64>(sums[2 * units[i] + 1].samples);
      const double scale = change.per == Per::share ? 1 : mean_period;
      row.before = row.seen.before * scale / measures.exposure_before;
      row.after = row.seen.after * scale / measures.exposure_after;
      row.scatter = i < scatters.size() ? scatters[i] : Scatter{};
      row.answer = rate_answer(row.seen, row.scatter);
      if (kind == UnitKind::function) {
        const OtherName& other = out_.matched.others[units[i]];
        if (!other.name.empty()) row.note = (other.is_same_code ? "one code with " : "was ") + other.name;
        if (!other.is_same_code) row.was = other.name;
        const std::string moved = inlining_note(sums[2 * units[i]], sums[2 * units[i] + 1]);
        if (!moved.empty()) row.note += (row.note.empty() ? "" : "; ") + moved;
        factors.push_back(row.scatter.factor);
        change.has_scatter = change.has_scatter || !std::isinf(row.scatter.degrees) || row.scatter.factor != 1;
      }
      list.push_back(std::move(row));
    }
    std::stable_sort(list.begin(), list.end(), [](const UnitChange& a, const UnitChange& b) {
      return std::abs(a.difference()) > std::abs(b.difference());
    });
  }
  change.compared = change.functions.size();
  SeenRates percent = measures;
  percent.before = 0.01 * static_cast<double>(change.samples_before);
  percent.after = 0.01 * static_cast<double>(change.samples_after);
  change.detectable_of_percent =
      detectable_ratio(percent, {.factor = factors.empty() ? 1 : median_of(factors)}, kConfidence);
}

// Those that most of it was inlined into first.
std::string Comparer::hosts_text(const SideSums& side) const {
  std::vector<std::pair<u32, double>> hosts(side.hosts.begin(), side.hosts.end());
  std::stable_sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr usize kNamed = 4;
  const usize named = hosts.size() <= kNamed ? hosts.size() : kNamed - 1;
  std::string text;
  for (usize i = 0; i < named; ++i) {
    const bool is_last = i + 1 == hosts.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + out_.matched.units[hosts[i].first].name;
  }
  if (named < hosts.size()) text += fmt::format(" and {} more", hosts.size() - named);
  return text;
}

// Where most of a cost was inlined on one side and not on the other, it moved; compared frame by frame it is the same.
std::string Comparer::inlining_note(const SideSums& before, const SideSums& after) const {
  if (before.cost <= 0 || after.cost <= 0) return {};
  const double more = after.inlined / after.cost - before.inlined / before.cost;
  const auto have = [](const SideSums& side) { return side.hosts.size() == 1 ? "has" : "have"; };
  if (more > 0.5) return fmt::format("moved into {}, which {} it inlined now", hosts_text(after), have(after));
  if (more < -0.5) return fmt::format("moved out of {}, which had it inlined", hosts_text(before));
  return {};
}

// All rows are one family: over all of them, at most the promised share of what is called found is wrong.
void Comparer::find_units() {
  std::vector<UnitChange*> rows;
  std::vector<double> answers;
  for (EventChange& event : out_.events) {
    for (auto* list : {&event.functions, &event.modules, &event.lines}) {
      for (UnitChange& row : *list) {
        rows.push_back(&row);
        answers.push_back(row.answer);
      }
    }
  }
  const std::vector<bool> found = found_among(answers, kWrongShare);
  for (usize i = 0; i < rows.size(); ++i) rows[i]->found = found[i];
  for (EventChange& event : out_.events) {
    for (auto* list : {&event.functions, &event.modules, &event.lines})
      std::stable_partition(list->begin(), list->end(), [](const UnitChange& row) { return row.found; });
  }
}

void Comparer::tell_of_shares(const EventChange& change) {
  constexpr double kWorthTelling = 0.02;
  for (const TotalChange& total : out_.totals) {
    if (total.event != change.event || total.is_counted || !total.has_ratio) continue;
    const bool is_told = out_.is_one_run ? std::abs(std::log(total.ratio)) > kWorthTelling : total.found;
    if (!is_told) return;
    out_.notes.push_back(
        fmt::format("{} {} in all by {:.1f} %: shares do not show that, --per run compares costs themselves.",
                    change.event, total.ratio > 1 ? "grew" : "shrank", 100 * std::abs(total.ratio - 1)));
    return;
  }
}

// Each module and its reason once.
void Comparer::tell_of_nameless_code() {
  std::set<std::pair<std::string_view, std::string_view>> told;
  for (const RunCosts* run : runs_) {
    for (const Unit& unit : run->units) {
      if (unit.is_known || unit.file == stacks::kNothing || unit.samples < kFewestSamples) continue;
      const std::string& reason = run->files[unit.file].reason;
      if (reason.empty() || !told.emplace(unit.module, reason).second) continue;
      out_.notes.push_back(fmt::format("{}: functions of {} have no names: {}.", run->file, unit.module, reason));
    }
  }
}

bool is_copy(const RunCosts& a, const RunCosts& b) {
  const auto same_costs = [](const UnitCost& x, const UnitCost& y) {
    return x.cost == y.cost && x.samples == y.samples;
  };
  const auto same_event = [&](const EventCosts& x, const EventCosts& y) {
    return x.event == y.event && x.samples == y.samples &&
           std::equal(x.units.begin(), x.units.end(), y.units.begin(), y.units.end(), same_costs);
  };
  const auto same_unit = [](const Unit& x, const Unit& y) { return x.key == y.key && x.module == y.module; };
  return std::equal(a.units.begin(), a.units.end(), b.units.begin(), b.units.end(), same_unit) &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same_event);
}

// What is sampled of a machine that repeats itself tells nothing of how runs differ, however often it is recorded.
bool are_copies(const std::vector<RunCosts>& side) {
  if (side.size() < 2 || side.front().events.empty() || !side.front().counts.empty()) return false;
  return std::all_of(side.begin() + 1, side.end(), [&](const RunCosts& run) { return is_copy(run, side.front()); });
}

}  // namespace

diag::Result<Comparison> compare_runs(const std::vector<RunCosts>& before, const std::vector<RunCosts>& after,
                                      const ComparisonOptions& options) {
  const bool are_enough = smallest_rank_answer(before.size(), after.size()) <= 1 - kConfidence;
  if (!are_enough || !are_copies(before) || !are_copies(after)) return Comparer(before, after, options).compare();
  const std::vector<RunCosts> one_before{before.front()}, one_after{after.front()};
  WPERF_TRY(Comparison comparison, Comparer(one_before, one_after, options).compare());
  comparison.notes.push_back(
      "All recordings of a side are the same to the sample, as those of a machine that repeats itself: they count as "
      "one. --jitter makes them differ, or another seed= of the simulated machine.");
  return comparison;
}

}  // namespace wperf::compare
