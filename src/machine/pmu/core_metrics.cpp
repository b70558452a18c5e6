// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/core_metrics.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/ascii.h"

namespace wperf::pmu {
namespace {

constexpr usize kMaxDepth = 32;  // the generator allows half of this in catalogued formulas

std::string_view take_token(std::string_view& text) {
  const usize begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const std::string_view token = text.substr(0, text.find(' '));
  text.remove_prefix(token.size());
  return token;
}

// Parses a plain decimal such as 1000 or 0.5; returns 0 for anything else. (libc++ 16 has no std::from_chars for
// double, and strtod depends on the locale.)
double parse_decimal(std::string_view token) {
  double value = 0;
  usize i = 0;
  for (; i < token.size() && is_digit(token[i]); ++i) value = value * 10 + (token[i] - '0');
  if (i == 0) return 0;
  if (i < token.size() && token[i] == '.') {
    double digits = 0;
    double scale = 1;
    for (++i; i < token.size() && is_digit(token[i]); ++i) {
      digits = digits * 10 + (token[i] - '0');
      scale *= 10;
    }
    value += digits / scale;
  }
  return i == token.size() ? value : 0;
}

double operand(std::string_view token, std::span<const NamedCount> counts) {
  for (const NamedCount& count : counts) {
    if (count.name == token) return static_cast<double>(count.value);
  }
  return parse_decimal(token);
}

bool is_operator(std::string_view token) {
  return token.size() == 1 && (token[0] == '+' || token[0] == '-' || token[0] == '*' || token[0] == '/');
}

// Returns nullopt for a division by zero, and for a result beyond the range of double.
std::optional<double> apply(char operation, double left, double right) {
  double result = 0;
  switch (operation) {
    case '+':
      result = left + right;
      break;
    case '-':
      result = left - right;
      break;
    case '*':
      result = left * right;
      break;
    default:
      if (right == 0) return std::nullopt;
      result = left / right;
  }
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<double> value_of_postfix(std::string_view postfix, std::span<const NamedCount> counts) {
  double stack[kMaxDepth];
  usize depth = 0;
  for (std::string_view token = take_token(postfix); !token.empty(); token = take_token(postfix)) {
    if (is_operator(token)) {
      if (depth < 2) return std::nullopt;
      const std::optional<double> result = apply(token[0], stack[depth - 2], stack[depth - 1]);
      if (!result) return std::nullopt;
      depth -= 1;
      stack[depth - 1] = *result;
    } else {
      if (depth == kMaxDepth) return std::nullopt;
      const double value = operand(token, counts);
      if (!std::isfinite(value)) return std::nullopt;
      stack[depth] = value;
      depth += 1;
    }
  }
  if (depth != 1) return std::nullopt;
  return stack[0];
}

double evaluate_postfix(std::string_view postfix, std::span<const NamedCount> counts) {
  return value_of_postfix(postfix, counts).value_or(0);
}

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

// The core that lends its metrics to other cores: its formulas only use architectural events, and do not depend on the
// number of slots per cycle.
constexpr std::string_view kLender = "neoverse-n1";

// Every core with counters has these events (Arm ARM, D13.12, on PMUv3), even one whose list is unknown.
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

// Returns nullopt for a product that has its own metrics, and for an unknown product.
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
