// SPDX-License-Identifier: BSD-3-Clause
// `list` (contract 8.4). The tables have a few hundred rows, and scripts request them frequently, so rows are built
// only once and by appending text where possible.
#include <algorithm>

#include "ground/text/number_text.h"
#include "views/report/count_tables.h"
#include "views/report/tool_reports.h"

namespace wperf::report {
namespace {

constexpr std::string_view kUnknown = "---";

// Moves the cells, because an initializer list would copy them.
template <typename... Cells>
void add_row(Table& table, Cells&&... cells) {
  std::vector<std::string>& row = table.rows.emplace_back();
  row.reserve(table.columns.size());
  (row.emplace_back(std::forward<Cells>(cells)), ...);
}

std::string prefixed(EventClass event_class, std::string_view name) {
  std::string text;
  if (event_class != EventClass::core) {
    text += '/';
    text += class_name(event_class);
    text += '/';
  }
  text += name;
  return text;
}

std::string type_text(EventClass event_class, bool extra) {
  std::string text = "[";
  text += class_name(event_class);
  text += extra ? " PMU event*]" : " PMU event]";
  return text;
}

void add_event(Table& table, std::string name, std::string index, std::string type, std::string_view description) {
  add_row(table, std::move(name), std::move(index), std::move(type));
  if (table.columns.size() > table.rows.back().size()) table.rows.back().emplace_back(description);
}

void add_uncore_events(Table& table, EventClass event_class) {
  for (usize i = 0; i < pmu::uncore_event_count(event_class); ++i) {
    const pmu::Event event = pmu::uncore_event(event_class, i);
    add_event(table, prefixed(event_class, event.name), text::hex(event.code, 4), type_text(event_class, false),
              kUnknown);
  }
}

void add_spe(Table& table, const std::string& version) {
  struct Filter {
    std::string_view name, description;
  };
  static constexpr Filter kFilters[] = {
      {"load_filter", "Keeps loads, including atomic operations that return a value."},
      {"store_filter", "Keeps stores and all atomic operations."},
      {"branch_filter", "Keeps branches: direct and indirect, taken or not."},
      {"ts_enable", "Adds a time stamp to each record."},
      {"min_latency", "Keeps operations that took at least this many cycles."},
  };
  add_event(table, "arm_spe_0//", "", "[Kernel PMU event]", version);
  for (const Filter& filter : kFilters) {
    add_event(table, std::string(filter.name), "", "[SPE filter]", filter.description);
  }
}

Table event_table(pmu::Product product, std::span<const pmu::ExtraEvent> extra,
                  const answers::CatalogueListing& listing, bool verbose) {
  Table table;
  table.columns = {{"Alias Name"}, {"Raw Index", Align::right}, {"Event Type"}};
  if (verbose) table.columns.push_back({"Description"});
  table.rows.reserve(product.event_count() + 100);
  for (usize i = 0; listing.product_events && i < product.event_count(); ++i) {
    const pmu::Event event = product.event(i);
    const std::vector<u16>& absent = listing.absent_events;
    const bool is_absent = std::find(absent.begin(), absent.end(), event.code) != absent.end();
    add_event(table, std::string(event.name), text::hex(event.code, 4),
              is_absent ? "[not in this PMU]" : type_text(EventClass::core, false), event.title);
  }
  for (const EventClass event_class : kEventClasses) {
    if (event_class != EventClass::core && listing.classes[index_of(event_class)]) {
      add_uncore_events(table, event_class);
    }
  }
  for (const pmu::ExtraEvent& event : extra) {
    add_event(table, prefixed(event.event_class, event.name), text::hex(event.code, 4),
              type_text(event.event_class, true), "<extra event>");
  }
  for (const answers::ListedWord& word : listing.words) {
    add_event(table, word.name, "", word.kind,
              word.description.empty() ? kUnknown : std::string_view(word.description));
  }
  if (listing.spe_version.has_value()) add_spe(table, *listing.spe_version);
  return table;
}

Table metric_table(const answers::CatalogueListing& listing, bool verbose) {
  Table table;
  table.columns = {{"Metric"}, {"Events"}};
  if (verbose) table.columns.insert(table.columns.end(), {{"Formula"}, {"Unit"}, {"Description"}});
  table.rows.reserve(listing.metrics.size());
  const auto or_unknown = [](const std::string& text) { return text.empty() ? kUnknown : std::string_view(text); };
  for (const answers::ListedMetric& metric : listing.metrics) {
    add_row(table, metric.name, metric.definition);
    if (!verbose) continue;
    for (const std::string* text : {&metric.formula, &metric.unit, &metric.description}) {
      table.rows.back().emplace_back(or_unknown(*text));
    }
  }
  return table;
}

Table group_table(pmu::Product product, bool verbose) {
  Table table;
  table.columns = {{"Group"}, {"Metrics"}};
  if (verbose) table.columns.push_back({"Description"});
  table.rows.reserve(product.group_count());
  for (usize i = 0; i < product.group_count(); ++i) {
    const pmu::MetricGroup group = product.group(i);
    add_row(table, group.name, group.metrics);
    if (verbose) table.rows.back().emplace_back(group.title);
  }
  return table;
}

}  // namespace

std::vector<Block> list_report(pmu::Product product, std::span<const pmu::ExtraEvent> extra,
                               const answers::CatalogueListing& listing, bool verbose) {
  std::vector<Block> blocks;
  blocks.reserve(3);
  blocks.push_back({.json_key = "Predefined_Events",
                    .heading = "List of pre-defined events (to be used in -e)",
                    .table = event_table(product, extra, listing, verbose)});
  blocks.push_back({.json_key = "Predefined_Metrics",
                    .heading = "List of supported metrics (to be used in -m)",
                    .table = metric_table(listing, verbose)});
  blocks.push_back({.json_key = "Predefined_Groups_of_Metrics",
                    .heading = "List of supported groups of metrics (to be used in -m)",
                    .table = group_table(product, verbose)});
  return blocks;
}

}  // namespace wperf::report
