// SPDX-License-Identifier: BSD-3-Clause
// The rows that `list` shows in addition to the product's own tables (contract 8.4).
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
  bool product_events = true;                    // false: their numbers have another meaning here
  std::vector<u16> absent_events;                // numbers that the hardware reports as missing
  std::vector<ListedWord> words;                 // the system's own kernel's event names
  std::optional<std::string> spe_version;        // "FEAT_SPE…"; nullopt: SPE is not listed
};

}  // namespace wperf::answers
