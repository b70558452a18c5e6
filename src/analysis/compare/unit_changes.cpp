// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/unit_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/compare/inline_rows.h"

namespace wperf::compare {
namespace {

// The reason why code of a run has no names; empty if unknown.
std::string reason_of(const RunCosts& run, const std::vector<u32>& numbers, u32 unit) {
  for (usize own = 0; own < numbers.size(); ++own) {
    if (numbers[own] == unit && run.units[own].file != stacks::kNothing) return run.files[run.units[own].file].reason;
  }
  return {};
}

// The sums of an item on one side, ignoring the weights of runs.
struct SideSums {
  double samples = 0, cost = 0;
};

// With one run on each side it is unknown how much runs differ. This difference is assumed to be usual: if a whole run
// was slower by less, none of its functions counts as grown.
constexpr double kRunNoise = 0.05;

Scatter with_run_noise(Scatter scatter, const MeasuredRates& rates) {
  scatter.factor += kRunNoise * kRunNoise * (rates.before + rates.after) / 2;
  return scatter;
}

class UnitComparer {
 public:
  UnitComparer(EventRuns event, EventChange& change)
      : event_(std::move(event)),
        change_(change),
        rows_(event_),
        counts_(event_.matched.units.size(), RunCounts{std::vector<double>(event_.runs.size(), 0)}),
        sums_(2 * event_.matched.units.size()) {}

  void compare(std::vector<std::string>& notes) {
    add_up();
    find_nameless(notes);
    const std::vector<u32> functions = units_of(UnitKind::function);
    const std::vector<RunCounts> of_functions = counts_of(functions);
    if (!event_.is_one_run) {
      event_.measures.weights = weigh_runs(of_functions, event_.measures);
      note_spread_of_runs(notes);
    }
    for (usize run = 0; run < event_.runs.size(); ++run) {
      const double exposure = event_.measures.weight(run) * event_.measures.exposures[run];
      (is_before(run) ? measured_.exposure_before : measured_.exposure_after) += exposure;
    }
    add_rows(functions, of_functions, change_.functions);
    for (const auto& [kind, list] : {std::pair(UnitKind::module, &change_.modules),
                                     {UnitKind::line, &change_.lines},
                                     {UnitKind::inclusive, &change_.inclusive}}) {
      const std::vector<u32> units = units_of(kind);
      add_rows(units, counts_of(units), *list);
    }
    finish_functions();
  }

 private:
  bool is_before(usize run) const { return run < event_.measures.before; }
  SideSums& side(u32 unit, usize run) { return sums_[2 * unit + (is_before(run) ? 0 : 1)]; }

  bool is_chosen(u32 unit) const;
  void add_up();
  void find_nameless(std::vector<std::string>& notes);
  std::vector<u32> units_of(UnitKind kind);
  std::vector<RunCounts> counts_of(const std::vector<u32>& units);
  void note_spread_of_runs(std::vector<std::string>& notes) const;
  std::vector<Scatter> scatters_of(const std::vector<u32>& units, const std::vector<RunCounts>& counts) const;
  void add_rows(const std::vector<u32>& units, const std::vector<RunCounts>& counts, std::vector<UnitChange>& rows);
  void name_function(UnitChange& row) const;
  std::string hosts_text(const std::map<u32, double>& side) const;
  std::string inlining_note(u32 unit) const;
  void note_inlined();
  void finish_functions();
  // Is kRunNoise added? With shares it is not needed, because shares do not change if a whole run is slower.
  bool has_run_noise() const { return event_.is_one_run && change_.per != Per::share; }

  EventRuns event_;
  EventChange& change_;
  InlineRows rows_;
  std::vector<RunCounts> counts_;        // by unit
  std::vector<SideSums> sums_;           // by unit: before and after
  MeasuredRates measured_;               // has the weighted exposures, but no counts
  std::vector<Scatter> learnt_;          // scatters of functions, relative to the usual scatter
  std::set<std::string_view> nameless_;  // modules, by their names before
};

void UnitComparer::add_up() {
  for (usize run = 0; run < event_.runs.size(); ++run) {
    const EventCosts& costs = *event_.costs[run];
    const std::vector<u32>& numbers = event_.matched.of_run[run];
    const auto add = [&](u32 row, double cost, double samples) {
      counts_[row].samples[run] += cost;
      SideSums& sums = side(row, run);
      sums.samples += samples;
      sums.cost += cost;
    };
    for (usize unit = 0; unit < costs.units.size(); ++unit)
      add(rows_.of_unit(numbers[unit]), costs.units[unit].cost, costs.units[unit].samples);
    std::vector<u32> chain;
    for (const InlinedCost& part : costs.inlined) {
      chain.clear();
      for (const u32 unit : part.units) chain.push_back(numbers[unit]);
      const u32 row = rows_.of_chain(chain), host = rows_.of_unit(chain.back());
      if (row == host) continue;
      add(row, part.cost, part.samples);
      add(host, -part.cost, -part.samples);
    }
    for (RunCounts& counts : counts_)
      counts.samples[run] /= is_before(run) ? event_.period_before : event_.period_after;
  }
}

// Was the unit chosen by its name on either side?
bool UnitComparer::is_chosen(u32 unit) const {
  const Unit& one = event_.matched.units[unit];
  const OtherName& other = event_.matched.others[unit];
  const auto& [module, symbol] = std::tie(event_.options.module, event_.options.symbol);
  if (module && !module(one.module) && !module(event_.matched.modules[unit])) return false;
  return !symbol || one.kind != UnitKind::function || symbol(one.name) || (!other.name.empty() && symbol(other.name));
}

// If a module has names in only some runs, its functions would seem to be new or gone, so only the module as a whole is
// compared.
void UnitComparer::find_nameless(std::vector<std::string>& notes) {
  constexpr double kOfModule = 0.05;  // stubs and padding without a name have a smaller share
  struct Part {
    double all = 0, nameless = 0;
  };
  std::map<std::string_view, std::vector<Part>> modules;
  std::map<std::string_view, u32> nameless_unit;
  for (u32 unit = 0; unit < event_.matched.units.size(); ++unit) {
    const Unit& one = event_.matched.units[unit];
    if (one.kind != UnitKind::function || !is_chosen(unit)) continue;
    std::vector<Part>& parts = modules[event_.matched.modules[unit]];
    parts.resize(event_.runs.size());
    for (usize run = 0; run < parts.size(); ++run) {
      parts[run].all += counts_[unit].samples[run];
      if (!one.has_name()) parts[run].nameless += counts_[unit].samples[run];
    }
    if (!one.has_name()) nameless_unit.emplace(event_.matched.modules[unit], unit);
  }
  for (const auto& [module, unit] : nameless_unit) {
    double least = 1, most = 0, samples = 0;
    usize worst = 0;
    const std::vector<Part>& parts = modules[module];
    for (usize run = 0; run < parts.size(); ++run) {
      samples += parts[run].all;
      if (parts[run].all <= 0) continue;
      const double share = parts[run].nameless / parts[run].all;
      least = std::min(least, share);
      if (share > most) worst = run;
      most = std::max(most, share);
    }
    if (most - least <= kOfModule || samples < kFewestSamples) continue;
    nameless_.insert(module);
    const std::string reason = reason_of(*event_.runs[worst], event_.matched.of_run[worst], unit);
    change_.nameless.push_back(
        fmt::format("functions of {} are not compared, because {} has no names for {:.0f} % of them{}", module,
                    event_.runs[worst]->file, 100 * most, reason.empty() ? reason : ": " + reason));
    notes.push_back(change_.event + ": " + change_.nameless.back() + ".");
  }
}

// The units with enough samples to be compared.
std::vector<u32> UnitComparer::units_of(UnitKind kind) {
  std::vector<u32> units;
  for (u32 unit = 0; unit < event_.matched.units.size(); ++unit) {
    const double samples = sums_[2 * unit].samples + sums_[2 * unit + 1].samples;
    if (event_.matched.units[unit].kind != kind || samples <= 0 || !is_chosen(unit)) continue;
    if (kind != UnitKind::module && nameless_.contains(event_.matched.modules[unit])) continue;
    if (samples >= kFewestSamples) {
      units.push_back(unit);
    } else {
      change_.too_few += kind == UnitKind::function;
    }
  }
  return units;
}

std::vector<RunCounts> UnitComparer::counts_of(const std::vector<u32>& units) {
  std::vector<RunCounts> counts;
  counts.reserve(units.size());
  for (const u32 unit : units) counts.push_back(std::move(counts_[unit]));
  return counts;
}

void UnitComparer::note_spread_of_runs(std::vector<std::string>& notes) const {
  std::string runs;
  for (usize run = 0; run < event_.runs.size(); ++run) {
    if (const double weight = event_.measures.weight(run); weight < 1)
      runs += fmt::format("{}{} ({:.2f})", runs.empty() ? "" : ", ", event_.runs[run]->file, weight);
  }
  if (runs.empty()) return;
  notes.push_back(
      fmt::format("{}: in some runs all functions differ by more than in the other runs, as if something had disturbed "
                  "them; these runs get a weight below 1: {}.",
                  change_.event, runs));
}

// With one run on each side, returns the scatter between time blocks, from the side that scatters more; otherwise the
// scatter between runs.
std::vector<Scatter> UnitComparer::scatters_of(const std::vector<u32>& units,
                                               const std::vector<RunCounts>& counts) const {
  if (!event_.is_one_run) {
    std::vector<Scatter> shared = share_dispersion(counts, event_.measures).scatters;
    if (change_.unit != CostUnit::nanoseconds) return shared;
    // In a repetitive program, a clock samples the same places in every run, but other places in another build.
    for (Scatter& one : shared) one.factor = std::max(1.0, one.factor);
    return shared;
  }
  std::vector<Scatter> by_unit(event_.matched.units.size()), out;
  for (usize run = 0; run < event_.runs.size(); ++run) {
    const std::vector<Scatter>& own = event_.costs[run]->scatters;
    for (usize unit = 0; unit < own.size(); ++unit) {
      Scatter& known = by_unit[rows_.of_unit(event_.matched.of_run[run][unit])];
      if (own[unit].factor > known.factor || std::isinf(known.degrees)) known = own[unit];
    }
  }
  out.reserve(units.size());
  for (const u32 unit : units) out.push_back(by_unit[unit]);
  return out;
}

void UnitComparer::add_rows(const std::vector<u32>& units, const std::vector<RunCounts>& counts,
                            std::vector<UnitChange>& rows) {
  const std::vector<Scatter> scatters = scatters_of(units, counts);
  for (usize i = 0; i < units.size(); ++i) {
    const Unit& matched = event_.matched.units[units[i]];
    UnitChange row;
    row.unit = units[i];
    row.kind = matched.kind;
    row.module = matched.module;
    row.name = matched.name;
    row.rates = measured_;
    for (usize run = 0; run < event_.runs.size(); ++run)
      (is_before(run) ? row.rates.before : row.rates.after) += event_.measures.weight(run) * counts[i].samples[run];
    row.samples_before = static_cast<u64>(sums_[2 * units[i]].samples);
    row.samples_after = static_cast<u64>(sums_[2 * units[i] + 1].samples);
    row.before = row.rates.before / measured_.exposure_before;
    row.after = row.rates.after / measured_.exposure_after;
    row.scatter = i < scatters.size() ? scatters[i] : Scatter{};
    if (row.kind == UnitKind::function) learnt_.push_back(row.scatter);
    if (has_run_noise()) row.scatter = with_run_noise(row.scatter, row.rates);
    row.answer = rate_answer(row.rates, row.scatter);
    if (row.kind == UnitKind::function || row.kind == UnitKind::inclusive) name_function(row);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const UnitChange& a, const UnitChange& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
}

// Sets the function's name on the side before, and the notes about its code.
void UnitComparer::name_function(UnitChange& row) const {
  const OtherName& other = event_.matched.others[row.unit];
  if (!other.name.empty() && other.name != event_.matched.units[row.unit].name) {
    row.note = (other.is_same_code ? "same code as " : "was ") + other.name;
    if (!other.is_same_code) row.was = other.name;
  }
  const auto add = [&](const std::string& note) { row.note += (row.note.empty() ? "" : "; ") + note; };
  if (const std::string moved = inlining_note(row.unit); !moved.empty()) add(moved);
  for (const auto& [unit, host] : rows_.joined()) {
    if (rows_.of_unit(unit) != row.unit) continue;
    row.with.push_back(event_.matched.units[unit].name);
    add("with " + row.with.back() + ", which is inlined on one side");
  }
}

// The hosts with the largest part of the inlined cost come first.
std::string UnitComparer::hosts_text(const std::map<u32, double>& side) const {
  std::vector<std::pair<u32, double>> hosts(side.begin(), side.end());
  std::stable_sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr usize kNamed = 4;
  const usize named = hosts.size() <= kNamed ? hosts.size() : kNamed - 1;
  std::string text;
  for (usize i = 0; i < named; ++i) {
    const bool is_last = i + 1 == hosts.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + event_.matched.units[hosts[i].first].name;
  }
  if (named < hosts.size()) text += fmt::format(" and {} more", hosts.size() - named);
  return text;
}

// If most of a cost was inlined on only one side, it moved to another function; the note says that a separate row shows
// the sum.
std::string UnitComparer::inlining_note(u32 unit) const {
  const auto found = rows_.hosts().find(unit);
  if (found == rows_.hosts().end() || rows_.of_unit(unit) != unit) return {};
  const auto& [before, after] = found->second;
  const std::optional<double> more = rows_.more_inlined(unit);
  if (!more.has_value()) return {};
  const auto have = [](const std::map<u32, double>& hosts) { return hosts.size() == 1 ? "has" : "have"; };
  if (*more > 0.5) return fmt::format("moved into {}, which now {} it inlined", hosts_text(after), have(after));
  if (*more < -0.5) return fmt::format("moved out of {}, which had it inlined", hosts_text(before));
  return {};
}

// Lists the hosts of functions without a row, for readers who search for the functions' names.
void UnitComparer::note_inlined() {
  for (const auto& [unit, hosts] : rows_.hosts()) {
    if (sums_[2 * unit].samples + sums_[2 * unit + 1].samples >= kFewestSamples && rows_.of_unit(unit) == unit)
      continue;
    change_.inlined.emplace_back(unit, hosts_text(hosts.after.empty() ? hosts.before : hosts.after));
  }
}

void UnitComparer::finish_functions() {
  change_.compared = change_.functions.size();
  note_inlined();
  for (const Scatter& scatter : learnt_) change_.has_scatter |= !std::isinf(scatter.degrees) || scatter.factor != 1;
  change_.of_percent = measured_;
  for (usize run = 0; run < event_.runs.size(); ++run)
    (is_before(run) ? change_.of_percent.before : change_.of_percent.after) +=
        0.01 * event_.measures.weight(run) * event_.costs[run]->samples;
  if (!learnt_.empty()) {
    const auto middle = learnt_.begin() + std::ssize(learnt_) / 2;
    std::nth_element(learnt_.begin(), middle, learnt_.end(),
                     [](const Scatter& a, const Scatter& b) { return a.factor < b.factor; });
    change_.usual_scatter = *middle;
  }
  if (has_run_noise()) change_.usual_scatter = with_run_noise(change_.usual_scatter, change_.of_percent);
}

}  // namespace

void compare_units(EventRuns event, EventChange& change, std::vector<std::string>& notes) {
  UnitComparer(std::move(event), change).compare(notes);
}

}  // namespace wperf::compare
