// SPDX-License-Identifier: BSD-3-Clause
// What `stat --json` wrote, read again: the sum over cores, and over the counts of a timeline, of each event. Opens no
// files. Called by opened_recording.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::profiles {

struct StatCounts {
  struct Count {
    std::string event;  // "/dsu/…" outside the cores
    double value = 0;   // scaled where counters took turns
  };
  std::vector<Count> counts;        // of what was counted anywhere
  std::vector<std::string> losses;  // what they lack, whole sentences
  double seconds = 0;
  double cpu_seconds = 0;  // that the program ran; 0: not known
  bool is_whole = true;    // false: the document ends too early, or is no JSON somewhere
};
// Nothing: it is no such document.
std::optional<StatCounts> read_stat_counts(bytes::Span file);

}  // namespace wperf::profiles
