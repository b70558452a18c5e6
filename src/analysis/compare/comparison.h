// SPDX-License-Identifier: BSD-3-Clause
// The changes between two sides of runs: totals, functions, modules and lines, with the size of each change, its
// certainty, and the smallest change that could have been seen. Pure.
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

inline constexpr double kConfidence = 0.95;
inline constexpr double kWrongShare = 0.05;  // the share of significant changes that may be wrong

enum class Per : u8 { share, second, run, counter };

struct ComparisonOptions {
  std::optional<Per> per;   // nullopt: per run
  std::string counter;      // for Per::counter
  OpenBuildFile open = {};  // opens files of code, for functions that have another name now; if empty, these are not
                            // searched
  // Restricts the comparison to a module and a name, as either side has them; empty for all.
  std::function<bool(std::string_view module)> module = {};
  std::function<bool(std::string_view name)> symbol = {};
};

// The unit of costs.
enum class CostUnit : u8 { count, nanoseconds, seconds };
CostUnit unit_of_event(std::string_view event);

// Totals that no event counts.
inline constexpr std::string_view kElapsed = "elapsed", kCpuTime = "cpu-time";

// A count of all runs, or the cost of all samples of an event.
struct TotalChange {
  std::string event;
  CostUnit unit = CostUnit::count;
  bool is_counted = false;                      // exact, not sampled
  std::vector<double> before = {}, after = {};  // by run, divided by the requested unit
  double median_before = 0, median_after = 0;
  // The ratio of the medians, after ÷ before, and the interval of the test. There is no interval with one run per side,
  // or for values without a ratio.
  double ratio = 1, low = 0, high = 0;
  bool has_ratio = false, has_interval = false;
  double answer = 1;  // the answer of the rank test
  bool found = false;
};

struct UnitChange {
  u32 unit = 0;  // index into Comparison::matched
  UnitKind kind = UnitKind::function;
  std::string module, name;
  double before = 0, after = 0;  // its cost in the chosen unit: a share of 1, per second, per run
  u64 samples_before = 0, samples_after = 0;
  SeenRates seen;
  Scatter scatter;
  double answer = 1;                    // the probability of so great a change if nothing changed
  double sure_below = 1 - kConfidence;  // significant, corrected for all other comparisons
  bool found = false;
  // With their interval. Computed on demand, because it takes longer than the answer, and few are shown.
  RateChange change() const { return compare_rates(seen, scatter, kConfidence); }
  double detectable() const { return detectable_ratio(seen, scatter, 1 - sure_below); }
  double difference() const { return after - before; }
  std::string was;                // its name before, if that was another one
  std::string note;               // "was f; moved into g"; a sentence without its end
  std::vector<std::string> with;  // functions that are part of this row because they are inlined there on one side
};

struct EventChange {
  std::string event;
  Per per = Per::share;
  u64 samples_before = 0, samples_after = 0;
  CostUnit unit = CostUnit::count;
  std::vector<UnitChange> functions, modules, lines;  // significant ones first, then by difference
  std::vector<UnitChange> inclusive;                  // functions including their callees, if requested
  std::vector<std::pair<u32, std::string>> inlined;   // functions without a row: their hosts
  usize compared = 0;                                 // functions with enough samples for a comparison
  usize too_few = 0;                                  // functions without
  std::vector<std::string> nameless;                  // modules whose functions and lines cannot be compared, with the
                                                      // reasons
  SeenRates of_percent;                               // the expected samples of a function with 1 % of them
  Scatter usual_scatter;                              // for functions
  double detectable_of_percent = 0;                   // the smallest ratio that would be seen for a function with 1 %
                                                      // of the samples
  bool has_scatter = false;                           // whether the scatter of samples was learnt from blocks of time
                                                      // or from runs
  std::array<std::vector<UnitChange>*, 4> lists() { return {&functions, &modules, &lines, &inclusive}; }
  std::array<const std::vector<UnitChange>*, 4> lists() const { return {&functions, &modules, &lines, &inclusive}; }
};

struct Comparison {
  std::vector<std::string> files_before, files_after;
  std::string fleet_before, fleet_after;  // the address of a fleet whose hosts are the runs; empty for files
  bool is_one_run = false;                // a side
  std::vector<TotalChange> totals;
  std::vector<EventChange> events;
  std::vector<std::string> notes;  // whole sentences
  MatchedUnits matched;            // the units that are the same on both sides
};

// The divisor of a run's costs; for shares, all samples of the event. An error if the run does not have it.
diag::Result<double> measure_of(const RunCosts& run, Per per, const std::string& counter);

// If all recordings of a side are the same to the sample, keeps one of each: samples of a machine that repeats itself
// do not show how runs differ, however often it is recorded. Returns true if they were.
bool take_out_copies(std::vector<RunCosts>& before, std::vector<RunCosts>& after);

// Refused: so few runs that no change can be significant, whatever they cost.
diag::Result<void> check_run_counts(usize before, usize after);

// Refused: no event in common, or so few runs that no change can be significant.
diag::Result<Comparison> compare_runs(const std::vector<RunCosts>& before, const std::vector<RunCosts>& after,
                                      const ComparisonOptions& options);

}  // namespace wperf::compare
