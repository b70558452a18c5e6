// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/event_counts.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace wperf::compat {

NamesOfProcesses by_process(const std::vector<answers::ProcessName>& names) {
  NamesOfProcesses known;
  for (const answers::ProcessName& one : names) known.try_emplace(one.process, one.name);
  return known;
}

void add_threads(const EventCounts& counts, const NamesOfProcesses& names, SampledEvent& event) {
  for (const auto& [key, count] : counts.of_thread) {
    const u32 process = static_cast<u32>(key >> 32);
    event.threads.push_back({.process = process, .thread = static_cast<u32>(key), .count = count});
    if (event.processes.empty() || event.processes.back().process != process) {
      const auto named = names.find(process);
      event.processes.push_back(
          {.process = process, .name = named != names.end() ? std::string(named->second) : std::string()});
    }
    event.processes.back().count += count;
  }
  std::sort(event.threads.begin(), event.threads.end(), [](const ThreadCount& a, const ThreadCount& b) {
    return std::tie(b.count, a.process, a.thread) < std::tie(a.count, b.process, b.thread);
  });
  std::sort(event.processes.begin(), event.processes.end(), [](const ProcessCount& a, const ProcessCount& b) {
    return std::tie(b.count, a.process) < std::tie(a.count, b.process);
  });
}

void add_modules(const EventCounts& counts, std::vector<answers::SampleModule>& modules, SampledEvent& event) {
  for (const auto& [key, count] : counts.of_module) {
    event.modules.push_back({.module = key.first, .kind = key.second, .count = count});
    if (key.first != kNone) modules[key.first].samples += count;
  }
  std::sort(event.modules.begin(), event.modules.end(), [](const ModuleCount& a, const ModuleCount& b) {
    return std::tie(b.count, a.module, a.kind) < std::tie(a.count, b.module, b.kind);
  });
}

void add_callers(const EventCounts& counts, usize symbols, SampledEvent& event) {
  std::vector<usize> rank(symbols);
  for (usize i = 0; i < event.rows.size(); ++i) rank[event.rows[i].symbol] = i;
  for (const auto& [key, count] : counts.of_caller) {
    event.callers.push_back({.symbol = key.first, .caller = key.second, .count = count});
  }
  std::sort(event.callers.begin(), event.callers.end(), [&](const CallerCount& a, const CallerCount& b) {
    if (a.symbol != b.symbol) return rank[a.symbol] < rank[b.symbol];
    return a.count != b.count ? a.count > b.count : a.caller < b.caller;
  });
}

}  // namespace wperf::compat
