// SPDX-License-Identifier: BSD-3-Clause
// The names that are valid in this run: the product's events and metrics, the user's extra events, and every metric
// that fits the machine (contract 3.5-3.7).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/plan/counters.h"
#include "machine/plan/names.h"
#include "machine/plan/plan.h"
#include "machine/pmu/core_metrics.h"
#include "model/request/counted_items.h"

namespace wperf::plan {
namespace {

// Arm and Qualcomm, as in WindowsPerf, and Microsoft, whose Cobalt 100 is a Neoverse N2.
bool has_core_metrics(u64 midr) {
  const u64 implementer = midr >> 24 & 0xff;
  return implementer == 0x41 || implementer == 0x51 || implementer == 0x6d;
}

std::string_view first_events(std::string_view list, u32 count) {
  usize end = 0;
  for (u32 i = 0; i < count; ++i) {
    end = list.find(',', i == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return list;
  }
  return list.substr(0, end);
}

class CatalogMaker {
 public:
  explicit CatalogMaker(const Capabilities& machine) : machine_(machine) {
    catalog_.product = pmu::identify(machine.midr);
  }

  diag::Result<void> add_extra_events(const std::string& text) { return catalog_.extra.parse(text); }
  diag::Result<void> add_metric_file(const std::string& text);
  void add_built_in_metrics();
  EventCatalog finish();

 private:
  diag::Result<MetricDefinition> define(std::string name, std::string definition, NameOrder order) const;
  void add_built_in(std::string_view name, std::string definition, std::optional<pmu::Metric> solution);
  bool has(std::string_view name) const;

  const Capabilities& machine_;
  EventCatalog catalog_;
};

diag::Result<void> CatalogMaker::add_metric_file(const std::string& text) {
  WPERF_TRY(const std::vector<MetricLine> lines, parse_metric_file(text));
  for (const MetricLine& line : lines) {
    auto metric = define(line.name, line.definition, NameOrder::architecture_first);
    if (!metric.has_value()) {
      catalog_.warnings.push_back(
          fmt::format("warning: Metric {} is unable to be used due to lack of hardware resources.", line.name));
      catalog_.warnings.push_back("note: " + metric.error().text);
      continue;
    }
    std::vector<MetricDefinition>& metrics = catalog_.metrics;  // if two have the same name, the later one counts
    metrics.erase(std::remove_if(metrics.begin(), metrics.end(),
                                 [&](const MetricDefinition& other) { return other.name == line.name; }),
                  metrics.end());
    metrics.push_back(std::move(metric).value());
  }
  return {};
}

void CatalogMaker::add_built_in_metrics() {
  const u32 available = machine_.counters_free[index_of(EventClass::core)];
  for (const pmu::BuiltInMetric& metric : pmu::built_in_metrics()) {
    if (!metric.definition.empty()) {
      add_built_in(metric.name, std::string(metric.definition), std::nullopt);
    } else if (has_core_metrics(machine_.midr) && available != 0) {
      add_built_in(metric.name, fmt::format("{{{}}}", first_events(metric.events, available)), std::nullopt);
    }
  }
  for (const pmu::Product product : kinds_of_cores(machine_)) {
    for (const pmu::Metric& metric : pmu::metrics_of(product)) {
      add_built_in(metric.name, fmt::format("{{{}}}", metric.events), metric);
    }
  }
}

// Checks that the list parses, every name is known and every group fits.
diag::Result<MetricDefinition> CatalogMaker::define(std::string name, std::string definition, NameOrder order) const {
  MetricDefinition metric;
  WPERF_TRY(metric.events, request::parse_event_list(definition));
  if (name.empty()) return diag::Error{.text = "the metric has no name", .hint = {}};
  if (metric.events.tokens.empty()) return diag::Error{.text = "the metric has no events", .hint = {}};
  usize members = 0;
  const std::vector<request::EventToken>& tokens = metric.events.tokens;
  for (usize i = 0; i < tokens.size(); ++i) {
    WPERF_CHECK_OK(check_class_available(tokens[i].event_class, machine_));
    const auto code = resolve_code(tokens[i], catalog_, order);
    if (!code.has_value()) return code.error();
    members = request::continues_group(metric.events, i) ? members + 1 : 1;
    if (tokens[i].group.has_value()) {
      WPERF_CHECK_OK(check_group_size(tokens[i].event_class, members, machine_));
    }
  }
  metric.name = std::move(name);
  metric.definition = std::move(definition);
  return metric;
}

// A built-in metric that does not fit is left out without a message, because the user did not request it.
void CatalogMaker::add_built_in(std::string_view name, std::string definition, std::optional<pmu::Metric> solution) {
  if (has(name)) return;
  const NameOrder order = solution.has_value() ? NameOrder::product_first : NameOrder::architecture_first;
  auto metric = define(std::string(name), std::move(definition), order);
  if (!metric.has_value()) return;
  metric.value().solution = solution;
  catalog_.metrics.push_back(std::move(metric).value());
}

bool CatalogMaker::has(std::string_view name) const {
  return std::any_of(catalog_.metrics.begin(), catalog_.metrics.end(),
                     [&](const MetricDefinition& metric) { return metric.name == name; });
}

EventCatalog CatalogMaker::finish() {
  std::sort(catalog_.metrics.begin(), catalog_.metrics.end(),
            [](const MetricDefinition& a, const MetricDefinition& b) { return a.name < b.name; });
  return std::move(catalog_);
}

}  // namespace

pmu::Product product_of_core(const Capabilities& machine, u32 core) {
  const u64 midr = core < machine.core_midr.size() ? machine.core_midr[core] : 0;
  return pmu::identify(midr != 0 ? midr : machine.midr);
}

std::vector<pmu::Product> kinds_of_cores(const Capabilities& machine) {
  std::vector<pmu::Product> kinds{pmu::identify(machine.midr)};
  for (u32 core = 0; core < machine.core_midr.size(); ++core) {
    const pmu::Product kind = product_of_core(machine, core);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

const MetricDefinition* EventCatalog::find_metric(std::string_view name) const {
  const auto found =
      std::lower_bound(metrics.begin(), metrics.end(), name,
                       [](const MetricDefinition& metric, std::string_view n) { return metric.name < n; });
  return found != metrics.end() && found->name == name ? &*found : nullptr;
}

diag::Result<EventCatalog> make_event_catalog(const Capabilities& machine, const std::vector<std::string>& extra_texts,
                                              const std::vector<std::string>& metric_files) {
  CatalogMaker maker(machine);
  for (const std::string& text : extra_texts) {
    WPERF_CHECK_OK(maker.add_extra_events(text));
  }
  for (const std::string& text : metric_files) {
    WPERF_CHECK_OK(maker.add_metric_file(text));
  }
  maker.add_built_in_metrics();
  return maker.finish();
}

}  // namespace wperf::plan
