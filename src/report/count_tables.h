// SPDX-License-Identifier: BSD-3-Clause
// The tables of a count, shared by its text and its JSON (contract 5.2-5.6). Called by count_text.cpp and
// count_json.cpp.
#pragma once
#include <span>

#include "profile/count_profile.h"
#include "report/table.h"

namespace wperf::report {

enum class CounterRows { core, cluster, overall };

Table counter_table(std::span<const profile::CountRow> rows, CounterRows kind, bool multiplexed);
Table telemetry_table(std::span<const profile::MetricRow> metrics);
Table l3_table(std::span<const profile::L3Row> rows);
Table dmc_table(const profile::CountProfile& profile);
Table ddr_table(std::span<const profile::DdrRow> rows);
// Ours: how sure the scaled values are. Without rows if nothing was multiplexed.
Table estimate_table(const profile::CountProfile& profile);

const profile::ClassCounts& class_counts(const profile::CountProfile& profile, EventClass event_class);
bool dmc_scheduled(const profile::CountProfile& profile);
// "core", "dsu", "dmc_clk", "dmc_clkdiv2"
std::string_view class_name(EventClass event_class);
// What its units are called: "core", "dsu", "dmc".
std::string_view unit_name(EventClass event_class);

}  // namespace wperf::report
