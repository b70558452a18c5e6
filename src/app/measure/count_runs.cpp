// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/count_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace wperf::measure {
namespace {

using answers::CountProfile;
using answers::CountRow;

struct Spread {
  double mean = 0, deviation = 0;
};

template <typename ValueOf>
Spread spread_of(const std::vector<CountProfile>& runs, ValueOf value_of) {
  const auto count = static_cast<double>(runs.size());
  Spread spread;
  for (const CountProfile& run : runs) spread.mean += value_of(run) / count;
  double squares = 0;
  for (const CountProfile& run : runs) squares += std::pow(value_of(run) - spread.mean, 2);
  if (runs.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

u64 rounded(double value) {
  return static_cast<u64>(std::llround(value));
}

// `rows_of` returns the same rows for each run; `means` must initially be the rows of the first run.
template <typename RowsOf>
void average_rows(const std::vector<CountProfile>& runs, RowsOf rows_of, std::vector<CountRow>& means) {
  for (const CountProfile& run : runs) means.resize(std::min(means.size(), rows_of(run).size()));
  for (usize i = 0; i < means.size(); ++i) {
    CountRow& mean = means[i];
    const auto average = [&](auto member) {
      return spread_of(runs, [&](const CountProfile& run) { return static_cast<double>(rows_of(run)[i].*member); });
    };
    const Spread value = average(&CountRow::value);
    mean.deviation = value.deviation;
    mean.mean = value.mean;
    mean.scaled_mean = average(&CountRow::scaled).mean;
    mean.value = rounded(*mean.mean);
    mean.scaled = rounded(*mean.scaled_mean);
    mean.slots = rounded(average(&CountRow::slots).mean);
    mean.rounds = rounded(average(&CountRow::rounds).mean);
    mean.fraction = average(&CountRow::fraction).mean;
    mean.low = average(&CountRow::low).mean;
    mean.high = average(&CountRow::high).mean;
    for (const CountProfile& run : runs) mean.has_interval = mean.has_interval && rows_of(run)[i].has_interval;
  }
}

void average_times(const std::vector<CountProfile>& runs, CountProfile& mean, answers::Runs& deviations) {
  const Spread elapsed = spread_of(runs, [](const CountProfile& run) { return run.elapsed_seconds; });
  mean.elapsed_seconds = elapsed.mean;
  deviations.elapsed_seconds = elapsed.deviation;
  const bool told = std::all_of(runs.begin(), runs.end(), [](const CountProfile& run) {
    return run.user_seconds.has_value() && run.system_seconds.has_value();
  });
  mean.user_seconds = mean.system_seconds = std::nullopt;
  if (!told) return;
  const Spread user = spread_of(runs, [](const CountProfile& run) { return *run.user_seconds; });
  const Spread system = spread_of(runs, [](const CountProfile& run) { return *run.system_seconds; });
  mean.user_seconds = user.mean;
  mean.system_seconds = system.mean;
  deviations.user_seconds = user.deviation;
  deviations.system_seconds = system.deviation;
}

}  // namespace

CountProfile mean_of_runs(const std::vector<CountProfile>& runs) {
  CountProfile mean = runs.front();
  if (runs.size() == 1) return mean;
  answers::Runs deviations{.count = static_cast<u32>(runs.size())};
  for (usize c = 0; c < mean.classes.size(); ++c) {
    answers::ClassCounts& counts = mean.classes[c];
    for (const CountProfile& run : runs) counts.multiplexed = counts.multiplexed || run.classes[c].multiplexed;
    for (usize u = 0; u < counts.units.size(); ++u) {
      average_rows(
          runs, [&](const CountProfile& run) -> const auto& { return run.classes[c].units[u].rows; },
          counts.units[u].rows);
    }
    average_rows(runs, [&](const CountProfile& run) -> const auto& { return run.classes[c].overall; }, counts.overall);
  }
  for (usize m = 0; m < mean.metrics.size(); ++m) {
    mean.metrics[m].value = spread_of(runs, [&](const CountProfile& run) { return run.metrics[m].value; }).mean;
    for (const CountProfile& run : runs) mean.metrics[m].counted = mean.metrics[m].counted && run.metrics[m].counted;
  }
  average_times(runs, mean, deviations);
  mean.threads.clear();  // threads differ from run to run
  mean.process = std::nullopt;
  mean.runs = deviations;
  return mean;
}

CountProfile joined_parts(const plan::CountPlan& plan, std::vector<CountProfile> parts) {
  CountProfile joined = std::move(parts.front());
  if (parts.size() == 1) return joined;
  answers::ClassCounts& counts = joined.classes[index_of(EventClass::core)];
  for (usize part = 1; part < parts.size(); ++part) {
    answers::ClassCounts& more = parts[part].classes[index_of(EventClass::core)];
    for (usize unit = 0; unit < std::min(counts.units.size(), more.units.size()); ++unit) {
      for (CountRow& row : more.units[unit].rows) {
        row.run = static_cast<u32>(part);
        row.run_seconds = parts[part].elapsed_seconds;
      }
      std::move(more.units[unit].rows.begin(), more.units[unit].rows.end(),
                std::back_inserter(counts.units[unit].rows));
    }
    std::move(parts[part].metrics.begin(), parts[part].metrics.end(), std::back_inserter(joined.metrics));
    std::move(parts[part].threads.begin(), parts[part].threads.end(), std::back_inserter(joined.threads));
    for (std::string& remark : parts[part].remarks) {
      if (std::find(joined.remarks.begin(), joined.remarks.end(), remark) == joined.remarks.end()) {
        joined.remarks.push_back(std::move(remark));
      }
    }
  }
  std::map<std::string_view, usize> places;
  const std::vector<plan::Entry>& entries = plan.schedules[index_of(EventClass::core)].entries;
  for (usize i = 0; i < entries.size(); ++i) places.try_emplace(entries[i].name, i);
  for (answers::CountUnit& unit : counts.units) {
    std::stable_sort(unit.rows.begin(), unit.rows.end(),
                     [&](const CountRow& a, const CountRow& b) { return places[a.name] < places[b.name]; });
  }
  joined.remarks.push_back(
      fmt::format("the program ran {} times, once per set of events that fits on the counters; each event was counted "
                  "in one of these runs",
                  parts.size()));
  return joined;
}

}  // namespace wperf::measure
