// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/topdown/method.h"

#include <algorithm>

namespace wperf::topdown {
namespace {

constexpr std::string_view kSlots = "percent of slots";

// For "x / (y + z) * 100": "y + z". Formulas of slots are longer, but their unit says enough.
std::string whole_of(const pmu::Metric& metric) {
  if (metric.unit == kSlots) return "slots";
  const std::string_view formula = metric.formula;
  const usize slash = formula.find(" / "), end = formula.rfind(" * 100");
  if (slash == std::string_view::npos || end == std::string_view::npos || end < slash) return "cycles";
  std::string_view whole = formula.substr(slash + 3, end - slash - 3);
  if (whole.starts_with('(') && whole.ends_with(')')) whole = whole.substr(1, whole.size() - 2);
  return std::string(whole);
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const usize comma = std::min(list.find(','), list.size());
    if (comma != 0) words.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

u32 Method::find(std::string_view metric) const {
  for (u32 i = 0; i < nodes.size(); ++i) {
    if (nodes[i].metric.name == metric) return i;
  }
  return kNone;
}

bool Method::is_whole() const {
  return roots.size() > 2;
}

Method method_of(pmu::Product product) {
  Method method;
  const auto row_of = [&](std::string_view name) -> std::optional<pmu::TopdownNode> {
    for (usize i = 0; i < product.topdown_count(); ++i) {
      if (product.topdown_node(i).metric == name) return product.topdown_node(i);
    }
    return std::nullopt;
  };
  const auto add = [&](const pmu::TopdownNode& row, u32 parent) {
    const std::optional<pmu::Metric> metric = product.find_metric(row.metric);
    if (!metric.has_value() || method.find(row.metric) != kNone) return;
    Node node{.metric = *metric, .parent = parent, .events = words_of(row.events), .of = whole_of(*metric)};
    if (parent != kNone) {
      node.level = method.nodes[parent].level + 1;
      method.nodes[parent].children.push_back(static_cast<u32>(method.nodes.size()));
    }
    method.nodes.push_back(std::move(node));
  };
  for (usize i = 0; i < product.topdown_count(); ++i) {
    if (product.topdown_node(i).is_root) add(product.topdown_node(i), kNone);
  }
  for (u32 i = 0; i < method.nodes.size(); ++i) method.roots.push_back(i);
  for (u32 i = 0; i < method.nodes.size(); ++i) {
    for (const std::string_view next : words_of(row_of(method.nodes[i].metric.name)->next)) {
      if (const auto row = row_of(next); row.has_value()) {
        add(*row, i);
      } else {
        method.nodes[i].groups.push_back(next);
      }
    }
  }
  return method;
}

}  // namespace wperf::topdown
