// SPDX-License-Identifier: BSD-3-Clause
// Compares two sides of runs: totals, functions, modules and lines, with the size of each change, its significance, and
// the smallest detectable change. Pure.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/matching.h"
#include "analysis/compare/run_costs.h"
#include "analysis/compare/statistics.h"
#include "ground/diag/result.h"

namespace wperf::compare {

inline constexpr double kWrongShare = 0.05;  // the tolerated share of false positives among significant changes

enum class Per : u8 { share, second, run, counter };

struct ComparisonOptions {
  std::optional<Per> per;   // nullopt: per run
  std::string counter;      // for Per::counter
  OpenBuildFile open = {};  // opens code files, to find functions that were renamed; if empty, they are not searched
  // Restrict the comparison to a module and a name, as spelled on either side. Empty: no restriction.
  std::function<bool(std::string_view module)> module = {};
  std::function<bool(std::string_view name)> symbol = {};
};

// The unit of costs.
enum class CostUnit : u8 { count, nanoseconds, seconds };
CostUnit unit_of_event(std::string_view event);

// Totals that are not counts of events.
inline constexpr std::string_view kElapsed = "elapsed", kCpuTime = "cpu-time";

// The count of an event, or the cost of all its samples.
struct TotalChange {
  std::string event;
  CostUnit unit = CostUnit::count;
  bool is_counted = false;                      // exact, not sampled
  std::vector<double> before = {}, after = {};  // by run, divided by the requested unit
  double median_before = 0, median_after = 0;
  // The ratio of the medians, after ÷ before, and its interval from the test. There is no interval if each side has
  // only one run, or if the ratio does not exist.
  double ratio = 1, low = 0, high = 0;
  bool has_ratio = false, has_interval = false;
  double answer = 1;  // result of the rank test: a probability
  bool is_significant = false;
};

struct UnitChange {
  u32 unit = 0;  // index into Comparison::matched
  UnitKind kind = UnitKind::function;
  std::string module, name;
  double before = 0, after = 0;  // cost in the chosen unit: as a share of 1, per second, or per run
  u64 samples_before = 0, samples_after = 0;
  MeasuredRates rates;
  Scatter scatter;
  double answer = 1;                    // probability of such a large change if nothing changed
  double sure_below = 1 - kConfidence;  // significant below this; corrected for the number of comparisons
  bool is_significant = false;
  // The change with its interval. Computed on demand, because it is slow and few changes are shown.
  RateChange change() const { return compare_rates(rates, scatter, kConfidence); }
  double detectable() const { return detectable_ratio(rates, scatter, 1 - sure_below); }
  double difference() const { return after - before; }
  std::string was;                // the name on the side before, if it differs
  std::string note;               // "was f; moved into g": a sentence without a full stop
  std::vector<std::string> with;  // functions that belong to this row because one side has them inlined there
};

struct EventChange {
  std::string event;
  Per per = Per::share;
  u64 samples_before = 0, samples_after = 0;
  CostUnit unit = CostUnit::count;
  std::vector<UnitChange> functions, modules, lines;  // significant ones first, then by difference
  std::vector<UnitChange> inclusive;                  // functions including their callees, if requested
  std::vector<std::pair<u32, std::string>> inlined;   // functions without a row, each with the name of its host
  usize compared = 0;                                 // number of functions with enough samples for a comparison
  usize too_few = 0;                                  // number of functions with too few samples
  // the modules in which functions and lines cannot be compared, with the reasons
  std::vector<std::string> nameless;
  MeasuredRates of_percent;          // the expected samples of a function that has 1 % of all samples
  Scatter usual_scatter;             // of the functions
  double detectable_of_percent = 0;  // the smallest detectable ratio for a function with 1 % of the
                                     // samples
  // true if the scatter was estimated, from time blocks or from runs
  bool has_scatter = false;
  std::array<std::vector<UnitChange>*, 4> lists() { return {&functions, &modules, &lines, &inclusive}; }
  std::array<const std::vector<UnitChange>*, 4> lists() const { return {&functions, &modules, &lines, &inclusive}; }
};

struct Comparison {
  std::vector<std::string> files_before, files_after;
  std::string fleet_before, fleet_after;  // address of the fleet, if its hosts are the runs; empty for files
  bool is_one_run = false;                // one side has only one run
  std::string stopped;                 // says how many runs --timeout ended; empty if none, or if costs are per second
  std::vector<std::string> uncounted;  // events that were never on a counter in some run
  std::vector<TotalChange> totals;
  std::vector<EventChange> events;
  std::vector<std::string> notes;  // whole sentences
  MatchedUnits matched;            // which units are the same on both sides
};

// The divisor of a run's costs; for shares, all samples of the event. Returns an error if the run has no such divisor.
diag::Result<double> measure_of(const RunCosts& run, Per per, const std::string& counter);

// Returns an error if there is no common event, or so few runs that no change could be significant.
diag::Result<Comparison> compare_runs(const std::vector<RunCosts>& before, const std::vector<RunCosts>& after,
                                      const ComparisonOptions& options);

}  // namespace wperf::compare
