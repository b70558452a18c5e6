// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/compat_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/naming/sample_rows.h"

namespace wperf::compat {
namespace {

using stacks::CodeFrame;
using stacks::CodeSite;
using stacks::kNothing;
using stacks::StackFunction;
using stacks::StackProfile;
using stacks::StackSample;

constexpr u32 kRawEvent = 4;  // perf's type of an event with the hardware's own number

// Functions of the profile → symbols of the view: those without a name are one symbol for each kind.
class SymbolsOfView {
 public:
  SymbolsOfView(const StackProfile& from, const std::vector<u32>& modules)
      : from_(from), modules_(modules), of_function_(from.functions.size(), answers::kNone) {}

  u32 of_kind(answers::SymbolKind kind) {
    u32& known = of_kind_[static_cast<usize>(kind)];
    if (known == answers::kNone) {
      known = static_cast<u32>(symbols_.size());
      symbols_.push_back({.kind = kind, .name = {}, .module = answers::kNone});
    }
    return known;
  }
  u32 of(u32 function) {
    u32& known = of_function_[function];
    if (known != answers::kNone) return known;
    const StackFunction& one = from_.functions[function];
    if (!one.is_known)
      return known = of_kind(one.is_kernel ? answers::SymbolKind::kernel : answers::SymbolKind::unknown);
    known = static_cast<u32>(symbols_.size());
    symbols_.push_back({.kind = answers::SymbolKind::function, .name = one.name, .module = modules_[one.module]});
    return known;
  }
  const std::vector<answers::Symbol>& all() const { return symbols_; }
  std::vector<answers::Symbol> take() { return std::move(symbols_); }

 private:
  const StackProfile& from_;
  const std::vector<u32>& modules_;
  std::vector<answers::Symbol> symbols_;
  std::vector<u32> of_function_;
  u32 of_kind_[4] = {answers::kNone, answers::kNone, answers::kNone, answers::kNone};
};

// The counts of one event.
struct Counts {
  u64 samples = 0;
  std::map<std::tuple<u32, u64, u32>, u64> of_place;  // symbol, address, site
  std::map<u64, u64> of_thread;                       // process << 32 | thread
  std::map<u32, u64> of_core;
  naming::ModuleSums of_module;
  std::map<std::pair<u32, u32>, u64> of_caller;  // symbol, caller
  std::vector<std::vector<u32>> over_time;       // by symbol, then slice
};

class CompatView {
 public:
  CompatView(const StackProfile& from, CompatRun run, u16 fixed_code)
      : from_(from),
        run_(std::move(run)),
        fixed_code_(fixed_code),
        modules_(add_modules_to_target()),
        symbols_(from, modules_),
        counts_(from.events.size()) {}

  answers::CompatProfile make();

 private:
  std::vector<u32> add_modules_to_target();
  void count(const StackSample& sample);
  void count_over_time(const stacks::SliceCount& one);
  bool is_of_others(const StackSample& sample) const;
  u32 symbol_of(const StackSample& sample);
  answers::SampledEvent event_of(u32 number);
  std::vector<answers::SymbolRow> rows_of(const Counts& counts);
  void add_callers(const Counts& counts, answers::SampledEvent& event) const;
  u32 file_of(u32 text);
  void add_line(const CodeSite& site, u32 module, u64 count, naming::LineRows& lines);
  u32 caller_of(u32 node);

  const StackProfile& from_;
  CompatRun run_;
  const u16 fixed_code_;
  const std::vector<u32> modules_;  // module numbers of the profile → of the target
  SymbolsOfView symbols_;
  std::vector<Counts> counts_;
  answers::CompatProfile out_;
  std::map<u32, u32> file_numbers_;  // text of the profile → file of the view
  std::vector<u32> ranks_;           // the symbols' ranks in the order of the printed names
};

// The program's modules come first, in the order of the run.
std::vector<u32> CompatView::add_modules_to_target() {
  std::vector<answers::SampleModule>& modules = run_.target.modules;
  const usize own = modules.size();
  std::vector<u32> numbers;
  for (const stacks::StackModule& module : from_.modules) {
    const auto end = modules.begin() + static_cast<std::ptrdiff_t>(own);
    const auto known = std::find_if(modules.begin(), end, [&](const answers::SampleModule& one) {
      return !one.path.empty() ? one.path == module.path : '[' + one.name + ']' == module.path;
    });
    numbers.push_back(static_cast<u32>(known - modules.begin()));
    if (known == end) {
      numbers.back() = static_cast<u32>(modules.size());
      answers::SampleModule& added = modules.emplace_back();
      added.name = module.name;
      added.path = module.path;
    }
    answers::SampleModule& made = modules[numbers.back()];
    made.pdb_file = module.pdb_path;
    made.image_base = module.image_base;
    made.reason = module.reason;
  }
  for (const StackFunction& function : from_.functions) {
    if (function.is_kernel) modules[numbers[function.module]].kernel = true;
  }
  return numbers;
}

u32 CompatView::caller_of(u32 node) {
  const u32 parent = from_.nodes[node].parent;
  if (parent == 0 || parent == kNothing) return answers::kNone;
  const u32 function = from_.places[from_.nodes[parent].place].function;
  return from_.functions[function].is_known ? symbols_.of(function) : answers::kNone;
}

bool CompatView::is_of_others(const StackSample& sample) const {
  return !run_.all_processes && from_.tasks[sample.task].pid != run_.target.process;
}

u32 CompatView::symbol_of(const StackSample& sample) {
  if (is_of_others(sample)) {
    // If the program was not found, its samples are unknown, and clients know that word.
    return symbols_.of_kind(run_.target.process == 0 ? answers::SymbolKind::unknown
                                                     : answers::SymbolKind::other_process);
  }
  return symbols_.of(from_.places[from_.nodes[sample.node].place].function);
}

void CompatView::count(const StackSample& sample) {
  Counts& counts = counts_[sample.event];
  const stacks::StackTask& task = from_.tasks[sample.task];
  const u32 function = from_.places[from_.nodes[sample.node].place].function;
  const u32 symbol = symbol_of(sample);
  counts.samples += sample.count;
  counts.of_thread[u64{task.pid} << 32 | task.tid] += sample.count;
  counts.of_core[sample.core] += sample.count;
  if (is_of_others(sample)) {
    counts.of_place[{symbol, 0, kNothing}] += sample.count;
    counts.of_module[{answers::kNone, answers::SymbolKind::other_process}] += sample.count;
  } else {
    const u32 site = from_.site_of_node.empty() ? kNothing : from_.site_of_node[sample.node];
    const u64 address = from_.address_of_node.empty() ? 0 : from_.address_of_node[sample.node];
    counts.of_place[{symbol, address, site}] += sample.count;
    const StackFunction& one = from_.functions[function];
    const bool nowhere = from_.modules[one.module].is_nowhere || (one.is_kernel && !one.is_known);
    counts.of_module[nowhere ? std::pair(answers::kNone, symbols_.all()[symbol].kind)
                             : std::pair(modules_[one.module], answers::SymbolKind::function)] += sample.count;
    if (run_.callers) counts.of_caller[{symbol, caller_of(sample.node)}] += sample.count;
  }
}

void CompatView::count_over_time(const stacks::SliceCount& one) {
  const StackSample& sample = from_.samples[one.row];
  const u32 symbol = symbol_of(sample);
  Counts& counts = counts_[sample.event];
  if (symbol >= counts.over_time.size()) counts.over_time.resize(symbol + usize{1});
  std::vector<u32>& slices = counts.over_time[symbol];
  if (slices.empty()) slices.resize(from_.slices.count);
  slices[one.slice] += static_cast<u32>(one.count);
}

std::vector<answers::SymbolRow> CompatView::rows_of(const Counts& counts) {
  struct Hot {
    u64 address = 0, hits = 0;
    u32 site = kNothing;
  };
  std::map<u32, std::vector<Hot>> of_symbol;
  for (const auto& [place, hits] : counts.of_place) {
    of_symbol[std::get<0>(place)].push_back({std::get<1>(place), hits, std::get<2>(place)});
  }
  std::vector<answers::SymbolRow> rows;
  for (auto& [symbol, places] : of_symbol) {
    std::sort(places.begin(), places.end(),
              [](const Hot& a, const Hot& b) { return a.hits != b.hits ? a.hits > b.hits : a.address < b.address; });
    answers::SymbolRow& row = rows.emplace_back();
    row.symbol = symbol;
    naming::LineRows lines;
    const u32 module = out_.symbols[symbol].module;
    for (const Hot& hot : places) {
      row.count += hot.hits;
      if (hot.address != 0) row.pcs.push_back({.address = hot.address, .count = hot.hits});
      if (hot.site == kNothing || module == answers::kNone) continue;
      add_line(from_.sites[hot.site], module, hot.hits, lines);
    }
    row.lines = lines.take();
    if (symbol < counts.over_time.size()) row.over_time = counts.over_time[symbol];
  }
  naming::sort_symbol_rows(ranks_, rows);
  return rows;
}

u32 CompatView::file_of(u32 text) {
  const auto [entry, is_new] = file_numbers_.try_emplace(text, static_cast<u32>(out_.files.size()));
  if (is_new) out_.files.push_back({.path = from_.texts[text], .text = {}});
  return entry->second;
}

void CompatView::add_line(const CodeSite& site, u32 module, u64 count, naming::LineRows& lines) {
  if (site.frame_count == 0) return;
  const CodeFrame& own = from_.code_frames[site.first_frame + site.frame_count - 1];
  if (own.line == 0 || from_.texts[own.file].empty()) return;
  const u64 base = out_.target.modules[module].image_base;
  naming::SourceLineHits line{.file = file_of(own.file),
                              .line = own.line,
                              .hits = count,
                              .module = module,
                              .rva = static_cast<u32>(site.address - base)};
  if (site.line_begin < site.line_end) {
    line.code_begin = static_cast<u32>(site.line_begin - base);
    line.code_end = static_cast<u32>(site.line_end - base);
  }
  const CodeFrame& innermost = from_.code_frames[site.first_frame];
  if (innermost.is_inlined) {
    line.is_inlined = true;
    line.inlined_function = from_.texts[innermost.function];
    line.inlined_file = from_.texts[innermost.file].empty() ? answers::kNone : file_of(innermost.file);
    line.inlined_line = innermost.line;
  }
  lines.add(line);
}

void CompatView::add_callers(const Counts& counts, answers::SampledEvent& event) const {
  std::vector<usize> rank(out_.symbols.size());
  for (usize i = 0; i < event.rows.size(); ++i) rank[event.rows[i].symbol] = i;
  for (const auto& [key, count] : counts.of_caller) {
    event.callers.push_back({.symbol = key.first, .caller = key.second, .count = count});
  }
  std::sort(event.callers.begin(), event.callers.end(),
            [&](const answers::CallerCount& a, const answers::CallerCount& b) {
              if (a.symbol != b.symbol) return rank[a.symbol] < rank[b.symbol];
              return a.count != b.count ? a.count > b.count : a.caller < b.caller;
            });
}

answers::SampledEvent CompatView::event_of(u32 number) {
  const stacks::StackEvent& from = from_.events[number];
  const Counts& counts = counts_[number];
  answers::SampledEvent event;
  event.name = from.name;
  event.code = static_cast<u16>(from.code);
  event.fixed = from.type == kRawEvent && from.code == fixed_code_;
  event.interval = static_cast<u32>(from.interval);
  event.samples = counts.samples;
  event.rows = rows_of(counts);
  naming::add_threads(counts.of_thread, run_.processes, event);
  naming::add_modules(counts.of_module, out_.target.modules, event);
  for (const auto& [core, count] : counts.of_core) event.cores.push_back({.core = core, .count = count});
  add_callers(counts, event);
  return event;
}

answers::CompatProfile CompatView::make() {
  for (const StackSample& sample : from_.samples) count(sample);
  for (const stacks::SliceCount& one : from_.slice_counts) count_over_time(one);
  out_.target = std::move(run_.target);
  out_.symbols = symbols_.take();
  ranks_ = naming::name_ranks(out_);
  for (u32 number = 0; number < counts_.size(); ++number) out_.events.push_back(event_of(number));
  std::sort(out_.events.begin(), out_.events.end(), [](const answers::SampledEvent& a, const answers::SampledEvent& b) {
    return std::tie(b.fixed, a.code, a.name, a.interval) < std::tie(a.fixed, b.code, b.name, b.interval);
  });
  out_.cores = std::move(run_.cores);
  out_.slices = {.count = from_.slices.count, .length_ns = from_.slices.length_ns};
  out_.exit_code = run_.exit_code;
  out_.elapsed_seconds = run_.elapsed_seconds;
  out_.note = std::move(run_.note);
  return std::move(out_);
}

template <typename Visit>
void for_each_shown_line(const answers::CompatProfile& profile, u32 rows, const answers::NameFilter& filter,
                         Visit visit) {
  for (const answers::SampledEvent& event : profile.events) {
    for (const answers::SymbolRow* row : answers::choose_rows(profile, event, rows, filter)) {
      for (const answers::LineRow& line : row->lines) visit(line);
    }
  }
}

}  // namespace

answers::CompatProfile make_sample_profile(const StackProfile& from, CompatRun run, u16 fixed_code) {
  return CompatView(from, std::move(run), fixed_code).make();
}

std::vector<answers::CodeBlock> code_to_disassemble(const answers::CompatProfile& profile, u32 rows,
                                                    const answers::NameFilter& filter) {
  std::set<std::tuple<u32, u32, u32>> ranges;
  for_each_shown_line(profile, rows, filter, [&](const answers::LineRow& line) {
    if (line.code_begin < line.code_end) ranges.emplace(line.module, line.code_begin, line.code_end);
  });
  std::vector<answers::CodeBlock> blocks;
  for (const auto& [module, begin, end] : ranges) {
    blocks.push_back({.module = module, .begin = begin, .end = end, .instructions = {}});
  }
  return blocks;
}

std::vector<u32> files_to_read(const answers::CompatProfile& profile, u32 rows, const answers::NameFilter& filter) {
  std::set<u32> files;
  for_each_shown_line(profile, rows, filter, [&](const answers::LineRow& line) { files.insert(line.file); });
  return {files.begin(), files.end()};
}

}  // namespace wperf::compat
