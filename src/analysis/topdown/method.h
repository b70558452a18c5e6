// SPDX-License-Identifier: BSD-3-Clause
// The top-down method of a core as a tree: shares of its time or slots, each divided into parts. Made from the
// catalogue's tables. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "machine/pmu/catalogue.h"

namespace wperf::topdown {

inline constexpr u32 kNone = ~u32{0};

struct Node {
  pmu::Metric metric;
  u32 parent = kNone;
  u32 level = 1;
  std::vector<u32> children = {};
  // groups of metrics at the leaves of the tree; their misses are counted next
  std::vector<std::string_view> groups = {};
  // the events of its formula. Samples of these events show the responsible code, samples of the last event show it
  // best
  std::vector<std::string_view> events;
  std::string of;  // the total of which the node is a share: "slots", "stall_backend"
};

struct Method {
  std::vector<Node> nodes;  // parents come before children
  std::vector<u32> roots;
  u32 find(std::string_view metric) const;  // kNone if no node has this name
  // Do the roots add up to the total?
  bool is_whole() const;
};

// The result has no nodes if no method was published for this core.
Method method_of(pmu::Product product);

// The words of a comma-separated list.
std::vector<std::string_view> words_of(std::string_view list);

// One sentence for the user: the meaning of a node's share, or of the misses of a group; may be empty.
std::string_view meaning_of(std::string_view name);

}  // namespace wperf::topdown
