// SPDX-License-Identifier: BSD-3-Clause
#include "topdown/method.h"

#include <algorithm>

namespace wperf::topdown {
namespace {

constexpr std::string_view kSlots = "percent of slots";

// Of "x / (y + z) * 100": "y + z". Formulas of slots are longer, and their unit tells.
std::string whole_of(const pmu::Metric& metric) {
  if (metric.unit == kSlots) return "slots";
  const std::string_view formula = metric.formula;
  const usize slash = formula.find(" / "), end = formula.rfind(" * 100");
  if (slash == std::string_view::npos || end == std::string_view::npos || end < slash) return "cycles";
  std::string_view whole = formula.substr(slash + 3, end - slash - 3);
  if (whole.starts_with('(') && whole.ends_with(')')) whole = whole.substr(1, whole.size() - 2);
  return std::string(whole);
}

struct Meaning {
  std::string_view name, text;
};
// Alphabetical.
constexpr Meaning kMeanings[] = {
    {"Branch_Effectiveness", "Branches were guessed wrong: make them predictable, or compute both ways and select."},
    {"DTLB_Effectiveness", "Data lies on too many pages: keep it closer together, or use large pages."},
    {"ITLB_Effectiveness", "Code lies on too many pages: order functions by use, or use large pages for code."},
    {"L1D_Cache_Effectiveness", "Data comes from the second-level cache: work on smaller blocks of it."},
    {"L1I_Cache_Effectiveness", "Code does not fit the first-level cache: less inlining, hot functions side by side."},
    {"L2_Cache_Effectiveness", "Data or code comes from beyond the second-level cache: work on smaller blocks."},
    {"LL_Cache_Effectiveness", "Data comes from memory: touch less of it, in order, or ask for it earlier."},
    {"backend_bound", "Decoded work waited: for data, for room to store, or for units that were busy."},
    {"backend_busy_bound",
     "Execution units were busy, or their queues full: long operations such as divisions, or chains in which each "
     "waits for the one before."},
    {"backend_cache_l1d_bound",
     "Loads missed the first-level cache and found their data in the second: work on smaller blocks."},
    {"backend_cache_l2d_bound",
     "Loads waited for data from beyond the second-level cache: touch less of it, in order, or ask for it earlier. "
     "Threads that write to one line do this, too."},
    {"backend_core_bound", "Work waited for the core itself and not for memory: for units, queues or registers."},
    {"backend_core_rename_bound", "No register was free to rename to: too many results are under way."},
    {"backend_mem_bound", "Work waited for memory: for loads, for stores, or for the addresses of pages."},
    {"backend_mem_cache_bound", "Loads missed caches."},
    {"backend_mem_store_bound", "Stores waited for room: they are too many, or to lines that others hold."},
    {"backend_mem_tlb_bound",
     "Addresses of data were looked up in page tables: keep data on fewer pages, or use large ones."},
    {"backend_stalled_cycles", "In these cycles nothing was issued because the backend had no room."},
    {"bad_speculation",
     "Work was thrown away because a branch was guessed wrong: make it predictable, or select without a branch."},
    {"frontend_bound", "The core could do more than it was given: fetching and decoding were too slow."},
    {"frontend_cache_l1i_bound", "Code came from the second-level cache: it does not fit the first."},
    {"frontend_cache_l2i_bound",
     "Code came from beyond the second-level cache: there is too much of it, or it is used but once."},
    {"frontend_core_bound", "Fetching was held up in the core itself and not by memory."},
    {"frontend_core_flow_bound",
     "The flow of instructions was interrupted: taken branches close together, or barriers."},
    {"frontend_core_flush_bound", "The pipe was refilled after a wrong guess."},
    {"frontend_mem_bound", "Fetching waited for memory: for code, or for the addresses of its pages."},
    {"frontend_mem_cache_bound", "Code missed caches: less of it, or hot functions side by side."},
    {"frontend_mem_tlb_bound",
     "Addresses of code were looked up in page tables: order functions by use, or use large pages."},
    {"frontend_stalled_cycles", "In these cycles nothing was issued because the frontend had nothing to give."},
    {"retiring", "Slots did useful work: fewer or wider instructions are what is left to gain."},
};

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

std::string_view meaning_of(std::string_view name) {
  const auto* const found =
      std::lower_bound(std::begin(kMeanings), std::end(kMeanings), name,
                       [](const Meaning& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kMeanings) && found->name == name ? found->text : std::string_view{};
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
