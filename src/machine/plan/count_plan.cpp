// SPDX-License-Identifier: BSD-3-Clause
// Makes the schedules of all classes, and chooses the cores, clusters and channels to count.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ground/diag/nearest.h"
#include "machine/plan/cores.h"
#include "machine/plan/count_parts.h"
#include "machine/plan/counters.h"
#include "machine/plan/default_events.h"
#include "machine/plan/kernel_plan.h"
#include "machine/plan/names.h"
#include "machine/plan/plan.h"
#include "machine/pmu/core_metrics.h"
#include "model/request/counted_items.h"
#include "model/request/number.h"

namespace wperf::plan {
namespace {

// Collects events in the order of the command line, by class, with groups separate from single events.
class ScheduleMaker {
 public:
  ScheduleMaker(const Capabilities& machine, EventCatalog& catalog) : machine_(machine), catalog_(catalog) {}

  diag::Result<void> add(const request::EventList& list, const MetricDefinition* metric);
  diag::Result<void> add(const request::MetricName& name);
  diag::Result<void> add_optional(const request::EventList& list);
  diag::Result<std::array<Schedule, kEventClassCount>> finish();

 private:
  struct ClassEvents {
    std::vector<std::vector<Entry>> groups;
    std::vector<Entry> singles;
  };
  diag::Result<Entry> make_entry(const request::EventToken& token, const MetricDefinition* metric);
  diag::Result<void> add_group_of_metrics(const pmu::MetricGroup& group);

  const Capabilities& machine_;
  EventCatalog& catalog_;
  std::array<ClassEvents, kEventClassCount> classes_;
};

diag::Error unsupported_metric(std::string_view name, const EventCatalog& catalog, const Capabilities& machine) {
  const pmu::BuiltInMetric* const known = pmu::find_built_in_metric(name);
  if (known != nullptr && !known->definition.empty()) {
    const bool is_of_clusters = known->definition.starts_with("/dsu/");
    const auto set_up = check_set_up(is_of_clusters ? EventClass::dsu : EventClass::dmc_clk, machine);
    if (!set_up.has_value()) return set_up.error();
  }
  std::string text = fmt::format("metric '{}' not supported\nsupported metrics:", name);
  for (const MetricDefinition& metric : catalog.metrics) text += "\n  " + metric.name;
  diag::Error error = diag::contract_error(std::move(text));
  std::vector<std::string_view> names;
  for (const MetricDefinition& metric : catalog.metrics) names.push_back(metric.name);
  for (usize i = 0; i < catalog.product.group_count(); ++i) names.push_back(catalog.product.group(i).name);
  error.hint = diag::did_you_mean(diag::nearest(name, names));
  if (catalog.metrics.empty()) {
    error.text += "\nno metric registered";
    error.hint =
        "this machine has no known hardware events to compute metrics from; `wperf list` shows the events for -e";
  }
  return error;
}

diag::Result<Entry> ScheduleMaker::make_entry(const request::EventToken& token, const MetricDefinition* metric) {
  if (machine_.kernel != nullptr && metric == nullptr) {
    WPERF_TRY(std::optional<Entry> entry, make_kernel_entry(token, machine_, catalog_));
    if (entry.has_value()) return std::move(*entry);
  }
  WPERF_CHECK_OK(check_class_available(token.event_class, machine_));
  const bool solution = metric != nullptr && metric->solution.has_value();
  const NameOrder order = solution ? NameOrder::product_first : NameOrder::architecture_first;
  Entry entry;
  WPERF_TRY(entry.code, resolve_code(token, catalog_, order));
  if (token.number.has_value()) catalog_.extra.add_raw(token.event_class, entry.code);
  // A formula finds its events by the names in its text, even if the table has another name for the number.
  entry.name = solution ? token.text : shown_name(token, entry.code, catalog_);
  if (metric != nullptr) entry.metric = metric->name;
  return entry;
}

diag::Result<void> ScheduleMaker::add(const request::EventList& list, const MetricDefinition* metric) {
  for (usize i = 0; i < list.tokens.size(); ++i) {
    const request::EventToken& token = list.tokens[i];
    WPERF_TRY(Entry entry, make_entry(token, metric));
    ClassEvents& events = classes_[index_of(token.event_class)];
    if (!token.group.has_value()) {
      events.singles.push_back(std::move(entry));
      continue;
    }
    if (!request::continues_group(list, i)) events.groups.emplace_back();
    entry.group = static_cast<u32>(events.groups.size() - 1);
    events.groups.back().push_back(std::move(entry));
  }
  return {};
}

diag::Result<void> ScheduleMaker::add_optional(const request::EventList& list) {
  WPERF_CHECK_OK(add(list, nullptr));
  for (ClassEvents& events : classes_) {
    for (Entry& entry : events.singles) entry.optional = true;
  }
  return {};
}

diag::Result<void> ScheduleMaker::add(const request::MetricName& name) {
  const MetricDefinition* metric = catalog_.find_metric(name.name);
  if (metric != nullptr) return add(metric->events, metric);
  const std::optional<pmu::MetricGroup> group = catalog_.product.find_group(name.name);
  if (group.has_value()) return add_group_of_metrics(*group);
  return unsupported_metric(name.name, catalog_, machine_);
}

diag::Result<void> ScheduleMaker::add_group_of_metrics(const pmu::MetricGroup& group) {
  std::string_view rest = group.metrics;
  while (!rest.empty()) {
    const usize comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    const MetricDefinition* metric = catalog_.find_metric(name);
    if (metric == nullptr) {
      return diag::Error{
          .text = fmt::format("metric '{}' of the group '{}' needs more counters than are free", name, group.name),
          .hint = "list the other metrics of the group one by one"};
    }
    WPERF_CHECK_OK(add(metric->events, metric));
  }
  return {};
}

diag::Result<std::array<Schedule, kEventClassCount>> ScheduleMaker::finish() {
  std::array<Schedule, kEventClassCount> schedules;
  for (const EventClass event_class : kEventClasses) {
    ClassEvents& events = classes_[index_of(event_class)];
    Schedule& schedule = schedules[index_of(event_class)];
    if (machine_.kernel != nullptr) {
      WPERF_TRY(schedule, kernel_schedule(std::move(events.groups), std::move(events.singles), machine_));
      continue;
    }
    for (const std::vector<Entry>& group : events.groups) {
      WPERF_CHECK_OK(check_group_size(event_class, group.size(), machine_));
    }
    schedule.counters = machine_.counters_free[index_of(event_class)];
    schedule.entries = pad_schedule(std::move(events.groups), std::move(events.singles), schedule.counters);
    WPERF_CHECK_OK(check_schedule_size(event_class, schedule.entries.size()));
  }
  return schedules;
}

diag::Result<std::vector<u32>> choose_cores(const request::Measurement& wanted, u32 core_count) {
  std::vector<u32> cores;
  if (wanted.cores.empty()) {
    // A started program is pinned to one core; without -c to the first one.
    const u32 last = wanted.program.has_value() ? std::min(core_count, 1u) : core_count;
    for (u32 core = 0; core < last; ++core) cores.push_back(core);
    return cores;
  }
  WPERF_TRY(cores, expand_cores(wanted.cores, core_count, request::kMeasuredCores));
  if (wanted.program.has_value() && cores.size() > 1) {
    return diag::contract_error("you can specify only one core for process spawn");
  }
  return cores;
}

std::vector<u32> clusters_of(const std::vector<u32>& cores, const Capabilities& machine) {
  std::vector<u32> clusters;
  if (machine.cluster_count == 0 || machine.cluster_size == 0) return clusters;
  for (const u32 core : cores) {
    const u32 cluster = core / machine.cluster_size;
    if (clusters.empty() || clusters.back() != cluster) clusters.push_back(cluster);
  }
  return clusters;
}

diag::Result<std::vector<u32>> choose_channels(std::optional<u32> chosen, const Capabilities& machine) {
  const u32 channel_count = machine.dmc_channels;
  std::vector<u32> channels;
  if (!chosen.has_value()) {
    for (u32 channel = 0; channel < channel_count; ++channel) channels.push_back(channel);
    return channels;
  }
  if (channel_count == 0) {
    WPERF_CHECK_OK(check_set_up(EventClass::dmc_clk, machine));
    return diag::Error{.text = "this machine has no DDR controller (DMC) with counters", .hint = "leave out --dmc"};
  }
  if (*chosen >= channel_count) {
    return diag::contract_error(
        fmt::format("dmc index {} not allowed. Use 0-{}, see option --dmc <n>", *chosen, channel_count - 1));
  }
  channels.push_back(*chosen);
  return channels;
}

}  // namespace

std::string note_of(const Entry& entry) {
  if (entry.padding) return "p";
  std::string note = entry.group.has_value() ? fmt::format("g{}", *entry.group) : "e";
  if (!entry.metric.empty()) note += "," + entry.metric;
  return note;
}

bool CountPlan::has_events() const {
  return std::any_of(schedules.begin(), schedules.end(),
                     [](const Schedule& schedule) { return !schedule.entries.empty(); });
}

u32 configured_period_ms(const std::vector<request::ConfigSetting>& config, const Capabilities& machine) {
  u32 period_ms = machine.period_default_ms;
  for (const request::ConfigSetting& setting : config) {
    if (setting.name != request::kPeriodSetting) continue;
    period_ms = static_cast<u32>(request::parse_decimal(setting.value).value_or(period_ms));
  }
  return period_ms;
}

diag::Result<CountPlan> make_count_plan(const request::Measurement& wanted, const Capabilities& machine,
                                        EventCatalog& catalog) {
  CountPlan plan;
  WPERF_CHECK_OK(check_process(wanted, machine));
  WPERF_CHECK_OK(check_counters_answer(machine));
  WPERF_TRY(plan.cores, choose_cores(wanted, machine.core_count));
  plan.program_core = plan.cores.empty() ? 0 : plan.cores.front();
  if (machine.kernel != nullptr && wanted.of_program()) {
    plan.of_program = true;
    plan.process = wanted.process;
    if (wanted.cores.empty()) plan.program_core = kAnyCore;
    if (wanted.process.has_value()) plan.cores = {0};
  }
  WPERF_TRY(plan.dmc_channels, choose_channels(wanted.dmc_channel, machine));
  ScheduleMaker maker(machine, catalog);
  if (machine.kernel != nullptr && wants_default_events(wanted)) {
    WPERF_CHECK_OK(maker.add_optional(default_events(*machine.kernel, plan.of_program)));
  }
  for (const request::CountItem& item : wanted.items) {
    if (const auto* list = std::get_if<request::EventList>(&item)) {
      WPERF_CHECK_OK(maker.add(*list, nullptr));
    } else {
      WPERF_CHECK_OK(maker.add(std::get<request::MetricName>(item)));
    }
  }
  WPERF_TRY(plan.schedules, maker.finish());
  plan.clusters = clusters_of(plan.cores, machine);
  // Counts taken at context switches cover both modes.
  plan.kernel = wanted.kernel || (machine.kernel != nullptr && machine.kernel->is_windows());
  const u32 period_ms = configured_period_ms(wanted.config, machine);
  const bool usable = period_ms >= machine.period_min_ms && period_ms <= machine.period_max_ms;
  plan.period_ms = usable ? period_ms : machine.period_default_ms;
  return plan;
}

}  // namespace wperf::plan
