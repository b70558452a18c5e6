// SPDX-License-Identifier: BSD-3-Clause
// All known facts about every CPU product: events, metrics, groups of metrics, identity. tools/gen_catalogue.py
// generates the tables from data/. They are sorted, constant and free of relocations, so nothing is built at start-up.
// All views point into them and stay valid. Lookups are binary searches.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::pmu {

struct Event {
  std::string_view name;  // lower case
  std::string_view title;
  std::string_view description;
  u16 code = 0;
  bool architectural = false;
};

struct Metric {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view formula;  // infix, event names in lower case
  std::string_view postfix;  // the same in postfix, separated by blanks
  std::string_view unit;
  std::string_view events;  // comma-separated event names in lower case, in the order in which they are scheduled
};

struct MetricGroup {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view metrics;  // comma-separated, without blanks
};

// A metric of the top-down method: a share, and where to look for its cause.
struct TopdownNode {
  std::string_view metric;
  std::string_view next;  // comma-separated metrics of the tree and groups of metrics
  // comma-separated, in lower case: events to sample to find the code; the best one last. Empty if none can be sampled
  std::string_view events;
  bool is_root = false;
};

// A cheap handle that can be copied freely.
class Product {
 public:
  explicit constexpr Product(u16 index) : index_(index) {}
  std::string_view name() const;              // "neoverse-n1"
  std::string_view title() const;             // "Neoverse N1"
  std::string_view architecture() const;      // "armv8.2", may be empty
  std::string_view pmu_architecture() const;  // "pmu_v3", may be empty
  u32 slots() const;                          // issue slots per cycle; 0: unknown
  bool has_own_events() const;                // false if only architectural events are known (armv8-a, Oryon)

  usize event_count() const;
  Event event(usize i) const;  // ascending by number
  std::optional<Event> find_event(std::string_view lower_case_name) const;
  std::optional<Event> find_event(u16 code) const;

  usize metric_count() const;
  Metric metric(usize i) const;  // alphabetical
  std::optional<Metric> find_metric(std::string_view name) const;

  usize group_count() const;
  MetricGroup group(usize i) const;  // alphabetical
  std::optional<MetricGroup> find_group(std::string_view name) const;

  usize topdown_count() const;  // 0: no method was published
  TopdownNode topdown_node(usize i) const;

  friend bool operator==(Product, Product) = default;

 private:
  u16 index_;
};

struct Alias {
  std::string_view alias, name;
};

usize product_count();
Product product_at(usize i);       // alphabetical
std::span<const Alias> aliases();  // alphabetical; "neoverse-n2-r0p0" → "neoverse-n2"
Product architectural();           // "armv8-a"
std::optional<Product> find_product(std::string_view name_or_alias);
// Looks up implementer, part and revision of MIDR_EL1; architectural() if unknown.
Product identify(u64 midr);
// The name for ID_AA64DFR0_EL1.PMSVer: "FEAT_SPEv1p1", "not implemented".
std::string_view spe_version_name(u64 id_aa64dfr0);
std::string_view vendor_name(u64 midr);  // contract 5.2, "Unknown Vendor" if unknown

// Uncore events by class (dsu, dmc_clk, dmc_clkdiv2).
usize uncore_event_count(EventClass event_class);
Event uncore_event(EventClass event_class, usize i);
std::optional<Event> find_uncore_event(EventClass event_class, std::string_view lower_case_name);
std::optional<Event> find_uncore_event(EventClass event_class, u16 code);

}  // namespace wperf::pmu
