// SPDX-License-Identifier: BSD-3-Clause
// What `list` shows beside the product's own tables (contract 8.4). Made by commands, written by report.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/event_class.h"

namespace wperf::answers {

struct ListedMetric {
  std::string name;
  std::string definition;                  // "{a,b}" or "/dsu/x,/dsu/y"
  std::string formula, unit, description;  // empty unless the product defines the metric
};

struct ListedWord {
  std::string name, kind;  // "page-faults", "[software]"
};

struct CatalogueListing {
  std::array<bool, kEventClassCount> classes{};  // those this machine can count
  std::vector<ListedMetric> metrics;             // alphabetical
  bool product_events = true;                    // false: their numbers mean nothing here
  std::vector<u16> absent_events;                // numbers that the hardware says it does not count
  std::vector<ListedWord> words;                 // of the system's own kernel
  std::optional<std::string> spe_version;        // "FEAT_SPE…"; none: SPE is not listed
};

}  // namespace wperf::answers
