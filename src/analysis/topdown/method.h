// SPDX-License-Identifier: BSD-3-Clause
// The top-down method of a core as a tree: shares of its time or slots, each with what it is made of. Made from the
// catalogue's tables. Pure. Called by drill and by who prints what it found.
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
  std::vector<std::string_view> groups = {};  // of metrics, where the tree ends and misses are to be looked at
  std::vector<std::string_view> events;       // those that it is made of; sampled, they tell where. The last tells best
  std::string of;                             // what it is a share of: "slots", "stall_backend"
};

struct Method {
  std::vector<Node> nodes;  // a parent is before its children
  std::vector<u32> roots;
  u32 find(std::string_view metric) const;  // kNone: none has this name
  // Do the roots add up to all of what they are shares of?
  bool is_whole() const;
};

// Without nodes where nobody published a method for this core.
Method method_of(pmu::Product product);

// The words of a comma list.
std::vector<std::string_view> words_of(std::string_view list);

// What the share of a node, or the misses of a group, mean to somebody who wants to mend it: one sentence, or empty.
std::string_view meaning_of(std::string_view name);

}  // namespace wperf::topdown
