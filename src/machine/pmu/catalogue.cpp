// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/catalogue.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "machine/pmu/tables.h"

namespace wperf::pmu {
namespace {

// A list of events, ascending by number: the events of a product or of an uncore class. Private to this room.
const tables::EventText& text_of(const tables::EventRow& row) {
  return tables::kEventTexts[row.text & ~tables::kArchitecturalBit];
}

Event event_at(tables::EventRange range, usize i) {
  const tables::EventRow& row = tables::kEvents[range.first + i];
  const tables::EventText& text = text_of(row);
  return {.name = tables::string(text.name),
          .title = tables::string(text.title),
          .description = tables::string(text.description),
          .code = row.code,
          .architectural = (row.text & tables::kArchitecturalBit) != 0};
}

std::optional<Event> find_event_in(tables::EventRange range, std::string_view lower_case_name) {
  const tables::EventRow* events = tables::kEvents + range.first;
  const auto name_of = [events](u16 i) { return tables::string(text_of(events[i]).name); };
  const u16* first = tables::kEventsByName + range.first;
  const u16* last = first + range.count;
  const u16* found =
      std::lower_bound(first, last, lower_case_name, [&](u16 i, std::string_view name) { return name_of(i) < name; });
  if (found == last || name_of(*found) != lower_case_name) return std::nullopt;
  return event_at(range, *found);
}

// If a number has two names, the first one in alphabetical order.
std::optional<Event> find_event_in(tables::EventRange range, u16 code) {
  const tables::EventRow* first = tables::kEvents + range.first;
  const tables::EventRow* last = first + range.count;
  const tables::EventRow* found =
      std::lower_bound(first, last, code, [](const tables::EventRow& row, u16 wanted) { return row.code < wanted; });
  if (found == last || found->code != code) return std::nullopt;
  return event_at(range, static_cast<usize>(found - first));
}

const tables::ProductRow& row_of(u16 index) {
  return tables::kProducts[index];
}

tables::EventRange events_of(u16 index) {
  return {row_of(index).first_event, row_of(index).event_count};
}

tables::EventRange uncore_events(EventClass event_class) {
  return tables::kUncore[index_of(event_class)];
}
static_assert(index_of(EventClass::core) == 0 && index_of(EventClass::dsu) == 1 && index_of(EventClass::dmc_clk) == 2 &&
              index_of(EventClass::dmc_clkdiv2) == 3 && kEventClassCount == 4);

// Finds `name` in a range of `list`, whose entries are indices of named `rows` in alphabetical order.
template <typename Row>
std::optional<usize> find_by_name(const u16* list, usize count, const Row* rows, std::string_view name) {
  const auto name_of = [rows](u16 i) { return tables::string(rows[i].name); };
  const u16* found =
      std::lower_bound(list, list + count, name, [&](u16 i, std::string_view wanted) { return name_of(i) < wanted; });
  if (found == list + count || name_of(*found) != name) return std::nullopt;
  return static_cast<usize>(found - list);
}

}  // namespace

std::string_view Product::name() const {
  return tables::string(row_of(index_).name);
}
std::string_view Product::title() const {
  return tables::string(row_of(index_).title);
}
std::string_view Product::architecture() const {
  return tables::string(row_of(index_).architecture);
}
std::string_view Product::pmu_architecture() const {
  return tables::string(row_of(index_).pmu_architecture);
}
u32 Product::slots() const {
  return row_of(index_).slots;
}
bool Product::has_own_events() const {
  return row_of(index_).has_own_events != 0;
}

usize Product::event_count() const {
  return row_of(index_).event_count;
}
Event Product::event(usize i) const {
  return event_at(events_of(index_), i);
}
std::optional<Event> Product::find_event(std::string_view lower_case_name) const {
  if (const auto event = find_event_in(events_of(index_), lower_case_name)) return event;
  const tables::OtherName* first = tables::kOtherNames + row_of(index_).first_other_name;
  const tables::OtherName* last = first + row_of(index_).other_name_count;
  const tables::OtherName* found = std::lower_bound(
      first, last, lower_case_name,
      [](const tables::OtherName& other, std::string_view name) { return tables::string(other.name) < name; });
  if (found == last || tables::string(found->name) != lower_case_name) return std::nullopt;
  return find_event(found->code);
}
std::optional<Event> Product::find_event(u16 code) const {
  return find_event_in(events_of(index_), code);
}

usize Product::metric_count() const {
  return row_of(index_).metric_count;
}

Metric Product::metric(usize i) const {
  const tables::MetricRow& row = tables::kMetrics[tables::kMetricLists[row_of(index_).first_metric + i]];
  return {.name = tables::string(row.name),
          .title = tables::string(row.title),
          .description = tables::string(row.description),
          .formula = tables::string(row.formula),
          .postfix = tables::string(row.postfix),
          .unit = tables::string(row.unit),
          .events = tables::string(row.events)};
}

std::optional<Metric> Product::find_metric(std::string_view name) const {
  const auto i =
      find_by_name(tables::kMetricLists + row_of(index_).first_metric, metric_count(), tables::kMetrics, name);
  if (!i) return std::nullopt;
  return metric(*i);
}

usize Product::group_count() const {
  return row_of(index_).group_count;
}

MetricGroup Product::group(usize i) const {
  const tables::GroupRow& row = tables::kGroups[tables::kGroupLists[row_of(index_).first_group + i]];
  return {.name = tables::string(row.name),
          .title = tables::string(row.title),
          .description = tables::string(row.description),
          .metrics = tables::string(row.metrics)};
}

usize Product::topdown_count() const {
  return row_of(index_).topdown_count;
}

TopdownNode Product::topdown_node(usize i) const {
  const tables::TopdownRow& row = tables::kTopdown[row_of(index_).first_topdown + i];
  return {.metric = tables::string(row.metric),
          .next = tables::string(row.next),
          .events = tables::string(row.events),
          .is_root = row.is_root != 0};
}

std::optional<MetricGroup> Product::find_group(std::string_view name) const {
  const auto i = find_by_name(tables::kGroupLists + row_of(index_).first_group, group_count(), tables::kGroups, name);
  if (!i) return std::nullopt;
  return group(*i);
}

usize product_count() {
  return tables::kProductCount;
}
Product product_at(usize i) {
  return Product(static_cast<u16>(i));
}
std::span<const Alias> aliases() {
  return {tables::kAliases, tables::kAliasCount};
}
Product architectural() {
  return Product(tables::kArchitecturalProduct);
}

std::optional<Product> find_product(std::string_view name_or_alias) {
  const std::span<const Alias> known = aliases();
  const auto alias = std::lower_bound(known.begin(), known.end(), name_or_alias,
                                      [](const Alias& entry, std::string_view wanted) { return entry.alias < wanted; });
  if (alias != known.end() && alias->alias == name_or_alias) name_or_alias = alias->name;
  const tables::ProductRow* last = tables::kProducts + tables::kProductCount;
  const tables::ProductRow* found = std::lower_bound(
      tables::kProducts, last, name_or_alias,
      [](const tables::ProductRow& row, std::string_view wanted) { return tables::string(row.name) < wanted; });
  if (found == last || tables::string(found->name) != name_or_alias) return std::nullopt;
  return Product(static_cast<u16>(found - tables::kProducts));
}

usize uncore_event_count(EventClass event_class) {
  return uncore_events(event_class).count;
}
Event uncore_event(EventClass event_class, usize i) {
  return event_at(uncore_events(event_class), i);
}
std::optional<Event> find_uncore_event(EventClass event_class, std::string_view lower_case_name) {
  return find_event_in(uncore_events(event_class), lower_case_name);
}
std::optional<Event> find_uncore_event(EventClass event_class, u16 code) {
  return find_event_in(uncore_events(event_class), code);
}

}  // namespace wperf::pmu
