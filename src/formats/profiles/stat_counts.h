// SPDX-License-Identifier: BSD-3-Clause
// The output of `stat --json`, read again: the sum over cores, and over the counts of a timeline, of each event. Opens
// no files.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::profiles {

struct StatCounts {
  struct Count {
    std::string event;  // "/dsu/…" outside the cores
    double value = 0;   // scaled if events shared counters
  };
  std::vector<Count> counts;        // one entry for each count in the file
  std::vector<std::string> losses;  // missing parts of the counts, as whole sentences
  double seconds = 0;
  double cpu_seconds = 0;  // CPU time of the program; 0 if not known
  bool is_whole = true;    // false if the document ends too early or is malformed
};
// nullopt if it is not such a document.
std::optional<StatCounts> read_stat_counts(bytes::Span file);

}  // namespace wperf::profiles
