// SPDX-License-Identifier: BSD-3-Clause
// Reads the output of `stat --json`: for each event the sum over all cores, clusters or channels, and over all counts
// of a timeline. Opens no files.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"

namespace wperf::profiles {

struct StatCounts {
  struct Count {
    // With the prefix of its class ("/dsu/", …), unless it is a core event. "/dmc/" if the document does not name the
    // class.
    std::string event;
    double value = 0;  // scaled if events took turns on the counters
  };
  std::vector<Count> counts;           // one entry for each count in the file
  std::vector<std::string> losses;     // whole sentences: which counts are missing
  std::vector<std::string> uncounted;  // events that were never on a counter
  double seconds = 0;
  double cpu_seconds = 0;  // CPU time of the program; 0 if not known
  bool is_whole = true;    // false: the document ends too early or is malformed
};
// Returns nullopt if it is not such a document.
std::optional<StatCounts> read_stat_counts(bytes::Span file);

}  // namespace wperf::profiles
