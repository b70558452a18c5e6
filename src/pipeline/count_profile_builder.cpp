// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/count_profile_builder.h"

#include <algorithm>
#include <map>

#include "decode/counts.h"
#include "pipeline/milliseconds.h"
#include "pmu/catalogue.h"
#include "pmu/formula.h"

namespace wperf::pipeline {
namespace {

constexpr const char* kL3Metric = "l3_cache";
constexpr const char* kDdrMetric = "ddr_bw";
constexpr double kL3LineBytes = 64;
constexpr double kDdrBytesPerAccess = 128;

profile::CountRow row_of(const decode::Count& count) {
  profile::CountRow row;
  row.value = count.value;
  row.slots = count.slots;
  row.rounds = count.rounds;
  row.scaled = count.scaled;
  row.fraction = count.fraction;
  row.low = count.low;
  row.high = count.high;
  row.has_interval = count.has_interval;
  return row;
}

// A kernel that takes turns by itself tells no slots, only times: they are shown in milliseconds.
void set_times(const raw::CounterReading& reading, profile::CountRow& row) {
  row.slots = reading.running_ns / kNanosecondsPerMillisecond;
  row.rounds = reading.enabled_ns / kNanosecondsPerMillisecond;
}

profile::CountUnit unit_of(const decode::Unit& decoded, const raw::UnitCounts& captured, const plan::Schedule& schedule,
                           const plan::Capabilities& machine) {
  profile::CountUnit unit;
  unit.number = decoded.unit;
  if (decoded.event_class == EventClass::core && machine.cycle_counters != 0) {
    profile::CountRow cycle = row_of(decoded.cycles);
    cycle.name = "cycle";
    cycle.note = "e";
    unit.rows.push_back(std::move(cycle));
  }
  if (decoded.event_class == EventClass::dsu) {
    for (u32 i = 0; i < machine.cluster_size; ++i) {
      const u32 core = decoded.unit * machine.cluster_size + i;
      if (core < machine.core_count) unit.cores.push_back(core);
    }
  }
  const size_t count = std::min(decoded.counts.size(), schedule.entries.size());
  for (size_t i = 0; i < count; ++i) {
    const plan::Entry& entry = schedule.entries[i];
    if (entry.padding) continue;
    profile::CountRow row = row_of(decoded.counts[i]);
    row.name = entry.name;
    row.code = entry.code;
    row.note = plan::note_of(entry);
    if (machine.kernel != nullptr) set_times(captured.entries[i], row);
    unit.rows.push_back(std::move(row));
  }
  return unit;
}

std::vector<profile::CountRow> sum_rows(const std::vector<profile::CountUnit>& units) {
  if (units.empty()) return {};
  std::vector<profile::CountRow> sums = units.front().rows;
  for (size_t u = 1; u < units.size(); ++u) {
    const auto& rows = units[u].rows;
    for (size_t i = 0; i < std::min(sums.size(), rows.size()); ++i) {
      sums[i].value += rows[i].value;
      sums[i].scaled += rows[i].scaled;
    }
  }
  return sums;
}

// The counts of one metric in one unit, a set for each group it was scheduled as.
using MetricCounts = std::map<std::optional<u32>, std::vector<pmu::NamedCount>>;

std::map<std::string, MetricCounts> metric_counts(const decode::Unit& unit, const plan::Schedule& schedule) {
  std::map<std::string, MetricCounts> counts;
  for (size_t i = 0; i < std::min(unit.counts.size(), schedule.entries.size()); ++i) {
    const plan::Entry& entry = schedule.entries[i];
    if (entry.padding || entry.metric.empty()) continue;
    counts[entry.metric][entry.group].push_back({entry.name, unit.counts[i].value});
  }
  return counts;
}

void add_metric_rows(const decode::Unit& unit, const plan::Schedule& schedule, const plan::Vocabulary& vocabulary,
                     std::vector<profile::MetricRow>& rows) {
  for (const auto& [name, groups] : metric_counts(unit, schedule)) {
    const plan::MetricDefinition* definition = vocabulary.find_metric(name);
    if (definition == nullptr || !definition->solution.has_value()) continue;
    for (const auto& [group, counts] : groups) {
      rows.push_back({.core = unit.unit,
                      .product = std::string(vocabulary.product.name()),
                      .metric = name,
                      .unit = std::string(definition->solution->unit),
                      .value = pmu::evaluate_postfix(definition->solution->postfix, counts)});
    }
  }
}

// Sum of the scaled counts of `event` that belong to `metric`.
u64 metric_event_total(const decode::Unit& unit, const plan::Schedule& schedule, const char* metric,
                       const char* event) {
  u64 total = 0;
  for (size_t i = 0; i < std::min(unit.counts.size(), schedule.entries.size()); ++i) {
    const plan::Entry& entry = schedule.entries[i];
    if (entry.metric == metric && entry.name == event) {
      total += unit.multiplexed ? unit.counts[i].scaled : unit.counts[i].value;
      break;
    }
  }
  return total;
}

bool has_metric(const plan::Schedule& schedule, const char* metric) {
  return std::any_of(schedule.entries.begin(), schedule.entries.end(),
                     [&](const plan::Entry& entry) { return entry.metric == metric; });
}

profile::L3Row l3_row(std::optional<u32> cluster, u64 accesses, u64 refills) {
  profile::L3Row row;
  row.cluster = cluster;
  row.bandwidth_mb = static_cast<double>(accesses) * kL3LineBytes / (1024.0 * 1024.0);
  row.miss_percent = accesses == 0 ? 100.0 : 100.0 * static_cast<double>(refills) / static_cast<double>(accesses);
  return row;
}

void add_l3_metric(const std::vector<decode::Unit>& units, const plan::Schedule& schedule,
                   profile::CountProfile& profile) {
  profile.has_l3_metric = has_metric(schedule, kL3Metric);
  if (!profile.has_l3_metric) return;
  u64 all_accesses = 0;
  u64 all_refills = 0;
  for (const decode::Unit& unit : units) {
    if (unit.event_class != EventClass::dsu) continue;
    const u64 accesses = metric_event_total(unit, schedule, kL3Metric, "l3d_cache");
    const u64 refills = metric_event_total(unit, schedule, kL3Metric, "l3d_cache_refill");
    all_accesses += accesses;
    all_refills += refills;
    profile.l3.push_back(l3_row(unit.unit, accesses, refills));
    for (const profile::CountUnit& cluster : profile.classes[index_of(EventClass::dsu)].units) {
      if (cluster.number == unit.unit) profile.l3.back().cores = cluster.cores;
    }
  }
  if (profile.core_count > 1) profile.l3.push_back(l3_row(std::nullopt, all_accesses, all_refills));
}

void add_ddr_metric(const std::vector<decode::Unit>& units, const plan::Schedule& schedule,
                    profile::CountProfile& profile) {
  profile.has_ddr_metric = has_metric(schedule, kDdrMetric);
  if (!profile.has_ddr_metric) return;
  const auto bandwidth = [](u64 accesses) { return static_cast<double>(accesses) * kDdrBytesPerAccess / 1e6; };
  u64 all = 0;
  for (const decode::Unit& unit : units) {
    if (unit.event_class != EventClass::dmc_clkdiv2) continue;
    const u64 accesses = metric_event_total(unit, schedule, kDdrMetric, "rdwr");
    all += accesses;
    profile.ddr.push_back({.channel = unit.unit, .bandwidth_mb = bandwidth(accesses)});
  }
  profile.ddr.push_back({.channel = std::nullopt, .bandwidth_mb = bandwidth(all)});
}

double elapsed_seconds(const raw::CountCapture& capture) {
  const u64 whole_ms = (capture.end_ns - capture.start_ns) / kNanosecondsPerMillisecond;
  return static_cast<double>(whole_ms) / 1000.0;
}

}  // namespace

profile::CountProfile build_count_profile(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                          const plan::Vocabulary& vocabulary, const raw::CountCapture& capture) {
  profile::CountProfile profile;
  profile.vendor = machine.vendor.empty() ? std::string(pmu::vendor_name(machine.midr)) : machine.vendor;
  if (plan.of_program) profile.process = plan.process;
  profile.kernel = plan.kernel;
  profile.core_count = static_cast<u32>(plan.cores.size());
  profile.elapsed_seconds = elapsed_seconds(capture);

  const std::vector<decode::Unit> units = decode::decode_counts(capture);
  for (const EventClass event_class : kEventClasses) {
    profile::ClassCounts& counts = profile.classes[index_of(event_class)];
    const plan::Schedule& schedule = plan.schedules[index_of(event_class)];
    counts.scheduled = !schedule.entries.empty();
    counts.multiplexed = schedule.multiplexed();
    for (size_t i = 0; i < units.size(); ++i) {
      const decode::Unit& unit = units[i];
      if (unit.event_class != event_class) continue;
      counts.multiplexed = counts.multiplexed || unit.multiplexed;
      counts.units.push_back(unit_of(unit, capture.units[i], schedule, machine));
      if (event_class == EventClass::core) add_metric_rows(unit, schedule, vocabulary, profile.metrics);
    }
    const bool uncore_memory = event_class == EventClass::dmc_clk || event_class == EventClass::dmc_clkdiv2;
    if (uncore_memory || profile.core_count > 1) counts.overall = sum_rows(counts.units);
  }
  add_l3_metric(units, plan.schedules[WPERF_CLASS_DSU], profile);
  add_ddr_metric(units, plan.schedules[WPERF_CLASS_DMC_CLKDIV2], profile);
  return profile;
}

}  // namespace wperf::pipeline
