// SPDX-License-Identifier: BSD-3-Clause
// How a program used its issue slots, and which functions lost slots, as text and JSON. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "analysis/topdown/drill.h"
#include "base/ints.h"
#include "views/report/table.h"

namespace wperf::report {

// A function in which the sampled event occurred.
struct TopdownFunction {
  std::string function, module, line;  // line: the line with the most samples; empty if unknown
  u64 samples = 0, line_samples = 0;
};
struct TopdownSamples {
  std::string event;
  u64 interval = 0, samples = 0;
  u64 missing = 0;                         // samples that were lost or held back
  std::vector<TopdownFunction> functions;  // ordered by samples, the most first
};

struct TopdownAnswer {
  std::string_view core;  // common name of the core: "Neoverse V3"
  std::string cores;      // the measured cores, if the machine also has others: "0-3"
  std::string program;    // empty for the whole machine
  double seconds = 0;     // duration of the first run
  bool took_turns = false;
  TopdownSamples where;                          // has no event if it was not requested, or not possible
  std::optional<operations::SpeProfile> memory;  // set if memory limits the program and there is SPE
  std::vector<std::string> notes;                // whole sentences
};

// Wilson's 95 % interval for a share of samples, as a fraction of 1. The interval allows for missing samples, which may
// or may not belong to this part.
struct Interval {
  double low = 0, high = 1;
};
Interval share_interval(u64 part, u64 whole, u64 missing = 0);
// The remark next to a table of functions; empty if no samples are missing.
std::string missing_samples(const TopdownSamples& where);

struct TopdownTextOptions {
  usize width = 0;  // of the terminal; 0: not a terminal
  u32 rows = 10;    // functions
};

// The result for one kind of core.
struct Topdown {
  topdown::Drill drill;
  TopdownAnswer answer = {};
};

std::string topdown_text(const Topdown& kind, const TopdownTextOptions& options);
std::string topdown_json(std::span<const Topdown> kinds);

// The columns of these tables. JSON leaves out unknown values.
struct NodeColumns {
  const topdown::Drill& drill;
  void operator()(Columns& to, u32 index) const;
};
void topdown_metric_columns(Columns& to, const topdown::MetricShare& metric);
Table topdown_group_table(const topdown::Drill& drill);  // metrics of the groups
struct TopdownFunctionColumns {
  const TopdownSamples& where;
  void operator()(Columns& to, const TopdownFunction& row) const;
};

// The headline for one kind of core.
std::string topdown_headline(const Topdown& kind);
// For a node or metric; "-" if it is unknown.
std::string topdown_percent(const topdown::Share& share);
std::string topdown_margin(const topdown::Share& share);  // half of the 95 % interval, "exact" or "not known"
// The nodes that were counted; a parent comes before its children, which are ordered by size.
std::vector<u32> counted_nodes(const topdown::Drill& drill);
// The sum of the first level, or the reason why there is no sum.
std::string topdown_sum(const topdown::Drill& drill);
// topdown_verdict() explains the worst node, or why no node is named. topdown_group_verdict() explains the likeliest
// misses of the worst node, if known.
std::string topdown_verdict(const topdown::Drill& drill);
std::string topdown_group_verdict(const topdown::Drill& drill);

}  // namespace wperf::report
