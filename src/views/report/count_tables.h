// SPDX-License-Identifier: BSD-3-Clause
// The tables of a count, shared by its text and its JSON (contract 5.2-5.6).
#pragma once
#include <span>

#include "model/answers/count_profile.h"
#include "views/report/table.h"

namespace wperf::report {

enum class CounterRows { core, cluster, overall };
// Text shows `-` for events that were not counted. In JSON the number stays: clients want one there.
enum class Face { text, json };

Table counter_table(std::span<const answers::CountRow> rows, CounterRows kind, bool multiplexed);
Table telemetry_table(std::span<const answers::MetricRow> metrics);  // for text only
Table l3_table(std::span<const answers::L3Row> rows, Face face);
Table dmc_table(const answers::CountProfile& profile);
Table ddr_table(std::span<const answers::DdrRow> rows, Face face);
// An addition of wperf: how sure the scaled values are. Without rows if nothing was multiplexed.
Table estimate_table(const answers::CountProfile& profile);

// How much each count differed from run to run. Without rows if there was one run.
Table runs_table(const answers::CountProfile& profile);
// Standard deviation in percent of the mean: "± 0.89 %".
std::string deviation_text(const answers::CountRow& row);

const answers::ClassCounts& class_counts(const answers::CountProfile& profile, EventClass event_class);
bool dmc_scheduled(const answers::CountProfile& profile);
// "core", "dsu", "dmc_clk", "dmc_clkdiv2"
std::string_view class_name(EventClass event_class);
// The name of its units: "core", "dsu", "dmc".
std::string_view unit_name(EventClass event_class);

}  // namespace wperf::report
