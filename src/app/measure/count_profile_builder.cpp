// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/count_profile_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/measure/opened_machine.h"
#include "ground/text/parts.h"
#include "machine/counts/scaled_counts.h"
#include "machine/pmu/catalogue.h"
#include "machine/pmu/core_metrics.h"

namespace wperf::measure {
namespace {

constexpr const char* kL3Metric = "l3_cache";
constexpr const char* kDdrMetric = "ddr_bw";
constexpr double kL3LineBytes = 64;
constexpr double kDdrBytesPerAccess = 128;

answers::CountRow row_of(const counts::Count& count) {
  answers::CountRow row;
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

// A kernel that multiplexes reports times instead of slots. They are shown in milliseconds.
void set_times(u64 running_ns, u64 enabled_ns, answers::CountRow& row) {
  row.slots = running_ns / kNanosecondsPerMillisecond;
  row.rounds = enabled_ns / kNanosecondsPerMillisecond;
}

answers::CycleRow cycle_row_of(const readings::UnitCounts& captured, bool kernel) {
  if (captured.cycle_source == readings::CycleSource::none) return answers::CycleRow::uncounted;
  const bool shared = captured.cycle_source == readings::CycleSource::shared;
  return shared && !kernel ? answers::CycleRow::with_kernel : answers::CycleRow::as_events;
}

answers::CountUnit unit_of(const counts::Unit& decoded, const readings::UnitCounts& captured,
                           const plan::CountPlan& plan, const plan::Capabilities& machine) {
  const plan::Schedule& schedule = plan.schedules[index_of(decoded.event_class)];
  answers::CountUnit unit;
  unit.number = decoded.unit;
  unit.losses = captured.losses;
  unit.lost_seconds = static_cast<double>(captured.lost_ns) / 1e9;
  if (decoded.event_class == EventClass::core && machine.cycle_counters != 0) {
    answers::CountRow cycle = row_of(decoded.cycles);
    cycle.name = "cycle";
    cycle.note = "e";
    if (machine.kernel != nullptr) set_times(captured.cycles_running_ns, captured.cycles_enabled_ns, cycle);
    unit.rows.push_back(std::move(cycle));
    unit.cycle_row = cycle_row_of(captured, plan.kernel);
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
    if (entry.padding || captured.entries[i].refused) continue;
    answers::CountRow row = row_of(decoded.counts[i]);
    row.name = entry.name;
    row.code = entry.code;
    row.note = plan::note_of(entry);
    if (machine.kernel != nullptr) set_times(captured.entries[i].running_ns, captured.entries[i].enabled_ns, row);
    unit.rows.push_back(std::move(row));
  }
  return unit;
}

std::vector<answers::CountRow> sum_rows(const std::vector<answers::CountUnit>& units) {
  std::vector<answers::CountRow> sums;
  for (const answers::CountUnit& unit : units) answers::add_counts(sums, unit.rows);
  return sums;
}

bool had_a_turn(const counts::Count& count) {
  return count.fraction > 0;
}

// The counts of a metric in a unit: one set for each group in which it was scheduled.
struct MetricInstance {
  std::vector<const plan::Entry*> entries;
  std::vector<pmu::NamedCount> events;
  bool counted = true;
};
using MetricCounts = std::map<std::optional<u32>, MetricInstance>;

std::map<std::string, MetricCounts> metric_counts(const counts::Unit& unit, const plan::Schedule& schedule) {
  std::map<std::string, MetricCounts> counts;
  for (size_t i = 0; i < std::min(unit.counts.size(), schedule.entries.size()); ++i) {
    const plan::Entry& entry = schedule.entries[i];
    if (entry.padding || entry.metric.empty()) continue;
    MetricInstance& instance = counts[entry.metric][entry.group];
    instance.entries.push_back(&entry);
    instance.events.push_back({entry.name, unit.counts[i].value});
    instance.counted = instance.counted && had_a_turn(unit.counts[i]);
  }
  return counts;
}

// The same event numbers are programmed on all cores. A core of another kind may lack an event with this name, or use
// its number for another event.
bool has_its_events(const pmu::Metric& metric, pmu::Product product, const MetricInstance& instance) {
  for (std::string_view rest = metric.events; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    const auto entry = std::find_if(instance.entries.begin(), instance.entries.end(),
                                    [&](const plan::Entry* one) { return one->name == name; });
    if (entry == instance.entries.end()) return false;
    const std::optional<pmu::Event> event = product.find_event(name);
    if (event.has_value() && event->code != (*entry)->code) return false;
  }
  return true;
}

// Computes a metric with the formula for the cores on which it was counted. A program may have run on several kinds of
// cores.
std::optional<double> metric_value(std::string_view name, const std::vector<pmu::Product>& kinds,
                                   const MetricInstance& instance) {
  std::optional<std::string_view> formula;
  for (const pmu::Product kind : kinds) {
    const std::optional<pmu::Metric> metric = pmu::find_metric_of(kind, name);
    if (!metric.has_value() || !has_its_events(*metric, kind, instance)) return {};
    if (formula.has_value() && *formula != metric->postfix) return {};
    formula = metric->postfix;
  }
  if (!instance.counted || !formula.has_value()) return {};
  return pmu::evaluate_postfix(*formula, instance.events);
}

void add_metric_rows(const counts::Unit& unit, const plan::Schedule& schedule, const plan::EventCatalog& catalog,
                     const std::vector<pmu::Product>& kinds, std::vector<answers::MetricRow>& rows) {
  for (const auto& [name, groups] : metric_counts(unit, schedule)) {
    const plan::MetricDefinition* definition = catalog.find_metric(name);
    if (definition == nullptr || !definition->solution.has_value()) continue;
    for (const auto& [group, instance] : groups) {
      const std::optional<double> value = metric_value(name, kinds, instance);
      rows.push_back({.core = unit.unit,
                      .product = std::string(kinds.front().name()),
                      .metric = name,
                      .unit = std::string(definition->solution->unit),
                      .value = value.value_or(0),
                      .counted = value.has_value()});
    }
  }
}

struct Total {
  u64 value = 0;
  bool counted = true;

  void add(const Total& other) {
    value += other.value;
    counted = counted && other.counted;
  }
};

// The scaled count of the event `event` in the metric `metric`.
Total metric_event_total(const counts::Unit& unit, const plan::Schedule& schedule, const char* metric,
                         const char* event) {
  for (size_t i = 0; i < std::min(unit.counts.size(), schedule.entries.size()); ++i) {
    const plan::Entry& entry = schedule.entries[i];
    if (entry.metric != metric || entry.name != event) continue;
    return {.value = unit.multiplexed ? unit.counts[i].scaled : unit.counts[i].value,
            .counted = had_a_turn(unit.counts[i])};
  }
  return {};
}

bool has_metric(const plan::Schedule& schedule, const char* metric) {
  return std::any_of(schedule.entries.begin(), schedule.entries.end(),
                     [&](const plan::Entry& entry) { return entry.metric == metric; });
}

answers::L3Row l3_row(std::optional<u32> cluster, const Total& access, const Total& refill) {
  const u64 accesses = access.value;
  const u64 refills = refill.value;
  answers::L3Row row;
  row.cluster = cluster;
  row.bandwidth_mb = static_cast<double>(accesses) * kL3LineBytes / (1024.0 * 1024.0);
  row.miss_percent = accesses == 0 ? 100.0 : 100.0 * static_cast<double>(refills) / static_cast<double>(accesses);
  row.counted = access.counted && refill.counted;
  return row;
}

void add_l3_metric(const std::vector<counts::Unit>& units, const plan::Schedule& schedule,
                   answers::CountProfile& profile) {
  profile.has_l3_metric = has_metric(schedule, kL3Metric);
  if (!profile.has_l3_metric) return;
  Total all_accesses;
  Total all_refills;
  for (const counts::Unit& unit : units) {
    if (unit.event_class != EventClass::dsu) continue;
    const Total accesses = metric_event_total(unit, schedule, kL3Metric, "l3d_cache");
    const Total refills = metric_event_total(unit, schedule, kL3Metric, "l3d_cache_refill");
    all_accesses.add(accesses);
    all_refills.add(refills);
    profile.l3.push_back(l3_row(unit.unit, accesses, refills));
    for (const answers::CountUnit& cluster : profile.classes[index_of(EventClass::dsu)].units) {
      if (cluster.number == unit.unit) profile.l3.back().cores = cluster.cores;
    }
  }
  if (profile.core_count > 1) profile.l3.push_back(l3_row(std::nullopt, all_accesses, all_refills));
}

void add_ddr_metric(const std::vector<counts::Unit>& units, const plan::Schedule& schedule,
                    answers::CountProfile& profile) {
  profile.has_ddr_metric = has_metric(schedule, kDdrMetric);
  if (!profile.has_ddr_metric) return;
  const auto row_of = [](std::optional<u32> channel, const Total& accesses) {
    return answers::DdrRow{.channel = channel,
                           .bandwidth_mb = static_cast<double>(accesses.value) * kDdrBytesPerAccess / 1e6,
                           .counted = accesses.counted};
  };
  Total all;
  for (const counts::Unit& unit : units) {
    if (unit.event_class != EventClass::dmc_clkdiv2) continue;
    const Total accesses = metric_event_total(unit, schedule, kDdrMetric, "rdwr");
    all.add(accesses);
    profile.ddr.push_back(row_of(unit.unit, accesses));
  }
  profile.ddr.push_back(row_of(std::nullopt, all));
}

// Time and switches are columns for all threads. Only entries with a counter become further columns.
void add_threads(const plan::CountPlan& plan, const readings::CountCapture& capture, answers::CountProfile& profile) {
  if (capture.threads.empty()) return;
  const std::vector<plan::Entry>& entries = plan.schedules[index_of(EventClass::core)].entries;
  answers::ThreadTable& table = profile.threads.emplace_back();
  std::vector<usize> shown;
  for (usize i = 0; i < entries.size(); ++i) {
    const plan::Entry& entry = entries[i];
    if (entry.padding || (entry.kernel_event.has_value() && !entry.kernel_event->hardware)) continue;
    shown.push_back(i);
    table.events.push_back(entry.name);
  }
  for (const readings::ThreadCounts& thread : capture.threads) {
    answers::ThreadCountRow& row = table.rows.emplace_back();
    row.process = thread.process;
    row.thread = thread.thread;
    row.name = thread.name;
    row.running_seconds = static_cast<double>(thread.running_ns) / 1e9;
    row.switches = thread.switches;
    for (const usize entry : shown) row.values.push_back(thread.values[entry]);
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a.running_seconds > b.running_seconds; });
}

// Adds a remark about the share of time that may be missing in the counts.
void add_uncertainty(const readings::CountCapture& capture, answers::CountProfile& profile) {
  u64 running_ns = capture.unseen_ns;
  for (const readings::ThreadCounts& thread : capture.threads) running_ns += thread.running_ns;
  const auto say = [&](u64 missing_ns, std::string_view why) {
    const double share = 100.0 * static_cast<double>(missing_ns) / static_cast<double>(std::max<u64>(running_ns, 1));
    constexpr double kLeastPercent = 0.005;  // less would be shown as 0.00
    if (missing_ns == 0 || share < kLeastPercent) return;
    profile.remarks.push_back(fmt::format("{:.2f} % of the running time ({:.3f} ms) is not in the counts: {}", share,
                                          static_cast<double>(missing_ns) / 1e6, why));
  };
  say(capture.unseen_ns, "it was before the first context switch of a core or after its last");
  say(capture.lost_ns, "Windows lost events, or a counter went backwards");
  if (capture.events_lost != 0) {
    profile.remarks.push_back(fmt::format(
        "{} events were lost while counting, so counts may be charged to the wrong thread", capture.events_lost));
  }
}

// Adds a note about events that do not exist, because their count of 0 looks like a result.
void add_absent(const plan::CountPlan& plan, const plan::KernelEvents& kernel, answers::CountProfile& profile) {
  std::vector<std::string> names;
  for (const plan::Entry& entry : plan.schedules[index_of(EventClass::core)].entries) {
    if (entry.kernel_event.has_value() || kernel.counts_code(entry.code) != false) continue;
    const auto counted = [&](const answers::CountRow& row) { return row.name == entry.name && row.value != 0; };
    const auto has_counted = [&](const answers::CountUnit& unit) {
      return std::any_of(unit.rows.begin(), unit.rows.end(), counted);
    };
    const std::vector<answers::CountUnit>& units = profile.classes[index_of(EventClass::core)].units;
    const bool is_named = std::find(names.begin(), names.end(), entry.name) != names.end();
    if (!is_named && std::none_of(units.begin(), units.end(), has_counted)) names.push_back(entry.name);
  }
  if (names.empty()) return;
  profile.remarks.push_back(fmt::format("{} counted 0: the PMU of these cores does not have {} (`wperf list`)",
                                        text::joined(names, ", "), names.size() == 1 ? "this event" : "these events"));
}

double elapsed_seconds(const readings::CountCapture& capture, bool by_kernel) {
  const u64 elapsed_ns = capture.end_ns - capture.start_ns;
  const u64 whole_ms = elapsed_ns / kNanosecondsPerMillisecond;
  // WindowsPerf prints whole milliseconds. For shorter times, the exact time is used, because 0 would be wrong.
  const bool is_exact = by_kernel || whole_ms == 0;
  return is_exact ? static_cast<double>(elapsed_ns) / 1e9 : static_cast<double>(whole_ms) / 1000.0;
}

}  // namespace

answers::CountProfile build_count_profile(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                          const plan::EventCatalog& catalog, const readings::CountCapture& capture) {
  answers::CountProfile profile;
  profile.vendor = machine.vendor.empty() ? std::string(pmu::vendor_name(machine.midr)) : machine.vendor;
  if (plan.of_program) profile.process = plan.process;
  profile.kernel = plan.kernel;
  profile.core_count = static_cast<u32>(plan.cores.size());
  profile.elapsed_seconds = elapsed_seconds(capture, machine.kernel != nullptr);
  profile.by_kernel = machine.kernel != nullptr;

  const std::vector<counts::Unit> units = counts::decode_counts(capture);
  for (const EventClass event_class : kEventClasses) {
    answers::ClassCounts& counts = profile.classes[index_of(event_class)];
    const plan::Schedule& schedule = plan.schedules[index_of(event_class)];
    counts.scheduled = !schedule.entries.empty();
    counts.multiplexed = schedule.multiplexed();
    for (size_t i = 0; i < units.size(); ++i) {
      const counts::Unit& unit = units[i];
      if (unit.event_class != event_class) continue;
      counts.multiplexed = counts.multiplexed || unit.multiplexed;
      counts.units.push_back(unit_of(unit, capture.units[i], plan, machine));
      if (event_class != EventClass::core) continue;
      const std::vector<pmu::Product> kinds =
          plan.of_program ? plan::kinds_of_cores(machine) : std::vector{plan::product_of_core(machine, unit.unit)};
      add_metric_rows(unit, schedule, catalog, kinds, profile.metrics);
    }
    const bool uncore_memory = event_class == EventClass::dmc_clk || event_class == EventClass::dmc_clkdiv2;
    if (uncore_memory || profile.core_count > 1) counts.overall = sum_rows(counts.units);
  }
  add_threads(plan, capture, profile);
  add_uncertainty(capture, profile);
  if (machine.kernel != nullptr) add_absent(plan, *machine.kernel, profile);
  add_l3_metric(units, plan.schedules[WPERF_CLASS_DSU], profile);
  add_ddr_metric(units, plan.schedules[WPERF_CLASS_DMC_CLKDIV2], profile);
  return profile;
}

}  // namespace wperf::measure
