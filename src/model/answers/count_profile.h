// SPDX-License-Identifier: BSD-3-Clause
// The immutable result of one count: the scaled counts, with their places and names. Independent of OS and output
// format. Padding entries are left out.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::answers {

struct CountRow {
  std::string name;         // lower case; "cycle" for the fixed counter
  std::optional<u16> code;  // nullopt for the fixed cycle counter
  std::string note;         // contract 3.2
  u64 value = 0;
  u64 slots = 0, rounds = 0;
  u64 scaled = 0;
  double fraction = 1;        // the share of the time during which the event was on a counter
  double low = 0, high = 0;   // 95 % interval of the count that an always-on counter would have
  bool has_interval = false;  // false if the event was on a counter for too short a time; then low and high have no
                              // meaning
  // If the counts took several runs of a program: the number of the run, and its duration; 0 seconds means the duration
  // of the whole count.
  u32 run = 0;
  double run_seconds = 0;
  // For several runs: the standard deviation and the exact means; `value` and `scaled` are the rounded means.
  double deviation = 0;
  std::optional<double> mean = {}, scaled_mean = {};
  double exact_value() const { return mean.value_or(static_cast<double>(value)); }
  double exact_scaled() const { return scaled_mean.value_or(static_cast<double>(scaled)); }
  // False if the event was never on a counter; then value and scaled are 0 and have no meaning. For a sum, false if one
  // of its parts was never counted.
  bool counted() const { return fraction > 0; }
};

// Adds rows of the same events, from another place or time.
inline void add_counts(std::vector<CountRow>& sums, const std::vector<CountRow>& rows) {
  if (sums.empty()) {
    sums = rows;
    return;
  }
  for (usize i = 0; i < sums.size() && i < rows.size(); ++i) {
    sums[i].value += rows[i].value;
    sums[i].scaled += rows[i].scaled;
    sums[i].fraction = std::min(sums[i].fraction, rows[i].fraction);
  }
}

// The name of an event as -e takes it: "/dsu/l3d_cache"; events of the core have no class.
inline std::string name_with_class(EventClass event_class, std::string_view name) {
  if (event_class == EventClass::core) return std::string(name);
  return std::string("/").append(class_name(event_class)).append("/").append(name);
}

// How the cycles in a core's row `cycle` were counted.
enum class CycleRow : u8 {
  as_events,    // cycles in the same modes as the events
  with_kernel,  // all cycles, also in the kernel, although the events exclude the kernel
  uncounted     // 0 because no counter could count them
};

struct CountUnit {
  u32 number = 0;              // core, cluster or channel
  std::vector<u32> cores;      // dsu: the cores of this cluster
  std::vector<CountRow> rows;  // core: first row is the cycle counter
  CycleRow cycle_row = CycleRow::as_events;
  // How often the counters' registers were wiped during the count, and the part of the time for which counts are
  // missing.
  u64 losses = 0;
  double lost_seconds = 0;
};

struct ClassCounts {
  bool scheduled = false;
  bool multiplexed = false;
  std::vector<CountUnit> units;   // ascending; empty if nothing of the class was scheduled
  std::vector<CountRow> overall;  // sums of all units; empty with a single core (dmc: always filled)
};

struct MetricRow {  // Telemetry Solution metric
  u32 core = 0;
  std::string product, metric, unit;
  double value = 0;
  bool counted = true;  // false if one of its events was never on a counter; then value has no meaning
};

struct L3Row {
  std::optional<u32> cluster;  // nullopt: "all"
  std::vector<u32> cores;
  double bandwidth_mb = 0;  // l3d_cache * 64 / 2^20
  double miss_percent = 0;
  bool counted = true;  // as in MetricRow
};

struct DdrRow {
  std::optional<u32> channel;  // nullopt: "all"
  double bandwidth_mb = 0;     // rdwr * 128 / 10^6
  bool counted = true;         // as in MetricRow
};

// Standard deviations of several runs; the rows have the standard deviations of counts.
struct Runs {
  u32 count = 0;
  double elapsed_seconds = 0, user_seconds = 0, system_seconds = 0;
};

// The counts of a thread; `values` has one entry for each event of its table.
struct ThreadCountRow {
  u32 process = 0, thread = 0;
  std::string name;  // the name of its process; empty if not known
  double running_seconds = 0;
  u64 switches = 0;  // number of switches to a core
  std::vector<u64> values;
};
// The threads of one run; the one that ran longest comes first.
struct ThreadTable {
  std::vector<std::string> events;
  std::vector<ThreadCountRow> rows;
};

struct CountProfile {
  std::string vendor;
  bool kernel = false;
  u32 core_count = 0;  // number of chosen cores
  std::array<ClassCounts, kEventClassCount> classes;
  std::vector<MetricRow> metrics;  // ordered by core, then by the metric's name
  bool has_l3_metric = false, has_ddr_metric = false;
  std::vector<L3Row> l3;
  std::vector<DdrRow> ddr;
  double elapsed_seconds = 0;
  // The counted process, if a program was counted on every core where it ran. Class core then has one unit, the
  // program.
  std::optional<u32> process;
  std::string program;                                 // its name; empty if not known, or if there is no program
  std::optional<double> user_seconds, system_seconds;  // CPU times of the program, once it has ended
  bool by_kernel = false;                              // counted by the operating system's kernel, not by the driver
  std::vector<ThreadTable> threads;                    // if the device counts each thread: one table for each run
  std::vector<std::string> remarks;                    // remarks for the reader, as whole sentences
  std::optional<Runs> runs;                            // all counts and times are means of several runs
};

// The time of one of several counts, relative to the start of the first.
struct CountSpan {
  u64 begin_ns = 0, end_ns = 0;
};

struct TimelineProfile {
  double duration_seconds = 0, interval_seconds = 0;
  u64 requested_counts = 0;          // -n
  std::vector<CountProfile> counts;  // in time order
  std::vector<CountSpan> spans;      // one for each count
};

}  // namespace wperf::answers
