// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/core_metrics.h"

#include <algorithm>

namespace wperf::pmu {
namespace {

constexpr BuiltInMetric kBuiltIn[] = {
    {"imix", "Instruction mix", "Counts speculatively executed operations: all of them, and those of each kind.",
     "inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec", ""},
    {"icache", "Instruction caches",
     "Counts accesses and refills of the level 1 and level 2 instruction caches, and the instructions they served.",
     "l1i_cache,l1i_cache_refill,l2i_cache,l2i_cache_refill,inst_retired", ""},
    {"dcache", "Data caches",
     "Counts accesses and refills of the level 1 and level 2 data caches, and the instructions retired meanwhile.",
     "l1d_cache,l1d_cache_refill,l2d_cache,l2d_cache_refill,inst_retired", ""},
    {"itlb", "Instruction TLBs",
     "Counts accesses and refills of the level 1 and level 2 instruction TLBs, and the instructions they served.",
     "l1i_tlb,l1i_tlb_refill,l2i_tlb,l2i_tlb_refill,inst_retired", ""},
    {"dtlb", "Data TLBs",
     "Counts accesses and refills of the level 1 and level 2 data TLBs, and the instructions retired meanwhile.",
     "l1d_tlb,l1d_tlb_refill,l2d_tlb,l2d_tlb_refill,inst_retired", ""},
    {"l3_cache", "L3 cache of the cluster",
     "Counts accesses and refills of the cache that the cores of a cluster share. Shown as read bandwidth, at 64 bytes "
     "per access, and as miss rate in percent.",
     "l3d_cache,l3d_cache_refill", "/dsu/l3d_cache,/dsu/l3d_cache_refill"},
    {"ddr_bw", "Memory bandwidth",
     "Counts reads and writes of each memory channel (DMC-620). Shown as bandwidth, at 128 bytes per access.", "rdwr",
     "/dmc_clkdiv2/rdwr"},
};

// The core that lends its metrics: its formulas use only the architecture's events, and do not depend on the number of
// slots in a cycle.
constexpr std::string_view kLender = "neoverse-n1";

// Which every core with counters has (Arm ARM, D13.12, of PMUv3), so also one whose list is unknown.
constexpr std::string_view kOfEveryCore[] = {"cpu_cycles", "inst_retired", "l1d_cache", "l1d_cache_refill"};

bool counts(Product product, std::string_view event) {
  if (!product.has_own_events()) {
    return std::find(std::begin(kOfEveryCore), std::end(kOfEveryCore), event) != std::end(kOfEveryCore);
  }
  const std::optional<Event> found = product.find_event(event);
  return found.has_value() && found->architectural;
}

bool counts_all(Product product, std::string_view events) {
  while (true) {
    const usize comma = events.find(',');
    if (!counts(product, events.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    events.remove_prefix(comma + 1);
  }
}

// Returns nullopt for a product that has metrics, and for an unknown one.
std::optional<Product> lender_for(Product product) {
  if (product.metric_count() != 0 || product == architectural()) return std::nullopt;
  return find_product(kLender);
}

}  // namespace

std::span<const BuiltInMetric> built_in_metrics() {
  return kBuiltIn;
}

const BuiltInMetric* find_built_in_metric(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kBuiltIn), std::end(kBuiltIn), [&](const BuiltInMetric& m) { return m.name == name; });
  return found == std::end(kBuiltIn) ? nullptr : found;
}

std::vector<Metric> metrics_of(Product product) {
  std::vector<Metric> metrics;
  const std::optional<Product> lender = lender_for(product);
  const Product source = lender.value_or(product);
  for (usize i = 0; i < source.metric_count(); ++i) {
    const Metric metric = source.metric(i);
    if (!lender.has_value() || counts_all(product, metric.events)) metrics.push_back(metric);
  }
  return metrics;
}

std::optional<Metric> find_metric_of(Product product, std::string_view name) {
  const std::optional<Product> lender = lender_for(product);
  if (!lender.has_value()) return product.find_metric(name);
  const std::optional<Metric> metric = lender->find_metric(name);
  return metric.has_value() && counts_all(product, metric->events) ? metric : std::nullopt;
}

}  // namespace wperf::pmu
