// SPDX-License-Identifier: BSD-3-Clause
// The immutable answer of one count: what was counted where, named and scaled. Knows neither OS nor output format.
// Padding entries never get here.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::profile {

struct CountRow {
  std::string name;         // lower case; "cycle" for the fixed counter
  std::optional<u16> code;  // none: the fixed cycle counter
  std::string note;         // contract 3.2
  u64 value = 0;
  u64 slots = 0, rounds = 0;
  u64 scaled = 0;
  double fraction = 1;        // of the time it was measured
  double low = 0, high = 0;   // 95 % interval of what a counter of its own would have counted
  bool has_interval = false;  // false: too little was seen, low and high say nothing
};

struct CountUnit {
  u32 number = 0;              // core, cluster or channel
  std::vector<u32> cores;      // dsu: the cores of this cluster
  std::vector<CountRow> rows;  // core: first row is the cycle counter
};

struct ClassCounts {
  bool scheduled = false;
  bool multiplexed = false;
  std::vector<CountUnit> units;   // ascending; empty if nothing of the class was scheduled
  std::vector<CountRow> overall;  // sums; empty with a single core (dmc: always filled)
};

struct MetricRow {  // Telemetry Solution metric
  u32 core = 0;
  std::string product, metric, unit;
  double value = 0;
};

struct L3Row {
  std::optional<u32> cluster;  // none: "all"
  std::vector<u32> cores;
  double bandwidth_mb = 0;  // l3d_cache * 64 / 2^20
  double miss_percent = 0;
};

struct DdrRow {
  std::optional<u32> channel;  // none: "all"
  double bandwidth_mb = 0;     // rdwr * 128 / 10^6
};

struct CountProfile {
  std::string vendor;
  bool kernel = false;
  u32 core_count = 0;  // how many cores were chosen
  std::array<ClassCounts, kEventClassCount> classes;
  std::vector<MetricRow> metrics;  // core, then metric name
  bool has_l3_metric = false, has_ddr_metric = false;
  std::vector<L3Row> l3;
  std::vector<DdrRow> ddr;
  double elapsed_seconds = 0;
  // Where a program was counted wherever it ran, and not what cores did: the one unit of class core is it.
  std::optional<u32> process;
};

struct TimelineProfile {
  double duration_seconds = 0, interval_seconds = 0;
  u64 requested_counts = 0;          // -n
  std::vector<CountProfile> counts;  // in time order
};

}  // namespace wperf::profile
