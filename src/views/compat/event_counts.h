// SPDX-License-Identifier: BSD-3-Clause
// The counts of one event while its samples are counted, and the tables of the view made from these counts.
#pragma once
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/answers/sampled_run.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

struct EventCounts {
  u64 samples = 0;
  std::vector<u32> rows;         // indices of the profile's samples
  std::map<u64, u64> of_thread;  // key: process << 32 | thread
  std::map<u32, u64> of_core;
  std::map<std::pair<u32, SymbolKind>, u64> of_module;  // kNone: only the kind is known
  std::map<std::pair<u32, u32>, u64> of_caller;         // symbol, caller
  std::vector<std::vector<u32>> over_time;              // keyed by symbol, then slice
};

using NamesOfProcesses = std::map<u32, std::string_view>;
// The name of each process; the first one if a process has several.
NamesOfProcesses by_process(const std::vector<answers::ProcessName>& names);

// Adds the tables of processes and threads.
void add_threads(const EventCounts& counts, const NamesOfProcesses& names, SampledEvent& event);
// Adds the table of modules. Also stores the counts in `modules`.
void add_modules(const EventCounts& counts, std::vector<answers::SampleModule>& modules, SampledEvent& event);
// Adds the callers, in the order of the event's rows. `symbols`: the number of symbols in the view.
void add_callers(const EventCounts& counts, usize symbols, SampledEvent& event);

}  // namespace wperf::compat
