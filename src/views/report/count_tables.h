// SPDX-License-Identifier: BSD-3-Clause
// The tables of a count, shared by its text and its JSON (contract 5.2-5.6).
#pragma once
#include "model/answers/count_profile.h"
#include "views/report/table.h"

namespace wperf::report {

// The columns of counts. JSON has only the keys that clients of WindowsPerf accept (contract 5.6).
struct CounterColumns {
  EventClass event_class;
  bool multiplexed, overall = false;
  void operator()(Columns& to, const answers::CountRow& row) const;
};
// Text shows `-` for metrics that were not counted. JSON has a number even then, because clients require one.
void metric_columns(Columns& to, const answers::MetricRow& row);
void l3_columns(Columns& to, const answers::L3Row& row);
void ddr_columns(Columns& to, const answers::DdrRow& row);

// A row and its unit.
struct UnitRow {
  EventClass event_class = EventClass::core;
  u32 unit = 0;
  answers::CountRow row = {};
};
// A row of a memory channel. Rows are ordered by channel; the sums come last.
struct ChannelRow {
  std::string pmu;
  answers::CountRow row = {};
};
std::vector<ChannelRow> channel_rows(const answers::CountProfile& profile);
void channel_columns(Columns& to, const ChannelRow& row);
// wperf's additions: the intervals of scaled values of multiplexed events, and the deviations between runs.
std::vector<UnitRow> estimated_rows(const answers::CountProfile& profile);
void estimate_columns(Columns& to, const UnitRow& row);
std::vector<UnitRow> all_rows(const answers::CountProfile& profile);
void run_columns(Columns& to, const UnitRow& row);
// Counts of threads.
struct ThreadColumns {
  const std::vector<std::string>& events;
  u32 run;  // from 0
  void operator()(Columns& to, const answers::ThreadCountRow& row) const;
};

// A count, or the mean of runs: "1,234", or "1.33" if it is so small that rounding would contradict the deviation in
// percent.
std::string count_or_mean(u64 rounded, std::optional<double> mean);
// The standard deviation in percent of the mean: "± 0.89 %".
std::string deviation_text(const answers::CountRow& row);

const answers::ClassCounts& class_counts(const answers::CountProfile& profile, EventClass event_class);
bool dmc_scheduled(const answers::CountProfile& profile);
// The word for a unit of this class: "core", "dsu", "dmc".
std::string_view unit_name(EventClass event_class);

}  // namespace wperf::report
