// SPDX-License-Identifier: BSD-3-Clause
#include "profile/compat_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace wperf::profile {
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
      : from_(from), modules_(modules), of_function_(from.functions.size(), kNone) {}

  u32 other_process() { return of_kind(SymbolKind::other_process); }
  u32 of(u32 function) {
    u32& known = of_function_[function];
    if (known != kNone) return known;
    const StackFunction& one = from_.functions[function];
    if (!one.is_known) return known = of_kind(one.is_kernel ? SymbolKind::kernel : SymbolKind::unknown);
    known = static_cast<u32>(symbols_.size());
    symbols_.push_back({.kind = SymbolKind::function, .name = one.name, .module = modules_[one.module]});
    return known;
  }
  const std::vector<Symbol>& all() const { return symbols_; }
  std::vector<Symbol> take() { return std::move(symbols_); }

 private:
  u32 of_kind(SymbolKind kind) {
    u32& known = of_kind_[static_cast<usize>(kind)];
    if (known == kNone) {
      known = static_cast<u32>(symbols_.size());
      symbols_.push_back({.kind = kind, .name = {}, .module = kNone});
    }
    return known;
  }

  const StackProfile& from_;
  const std::vector<u32>& modules_;
  std::vector<Symbol> symbols_;
  std::vector<u32> of_function_;
  u32 of_kind_[4] = {kNone, kNone, kNone, kNone};
};

// What one event counted.
struct Counts {
  u64 samples = 0;
  std::map<std::tuple<u32, u64, u32>, u64> of_place;  // symbol, address, site
  std::map<u64, u64> of_thread;                       // process << 32 | thread
  std::map<u32, u64> of_core;
  std::map<std::pair<u32, SymbolKind>, u64> of_module;
  std::map<std::pair<u32, u32>, u64> of_caller;  // symbol, caller
  std::vector<std::vector<u32>> over_time;       // by symbol, then slice
};

// Lines of one symbol while they are counted.
class LinesOfSymbol {
 public:
  LinesOfSymbol(const StackProfile& from, std::vector<SourceFile>& files, std::map<u32, u32>& numbers)
      : from_(from), files_(files), numbers_(numbers) {}

  // Places come most frequent first.
  void add(const CodeSite& site, u32 module, u64 image_base, u64 count) {
    if (site.frame_count == 0) return;
    const CodeFrame& own = from_.code_frames[site.first_frame + site.frame_count - 1];
    if (own.line == 0 || from_.texts[own.file].empty()) return;
    Entry& entry = lines_[{file_of(own.file), own.line}];
    entry.row.file = file_of(own.file);
    entry.row.line = own.line;
    entry.row.hits += count;
    if (entry.row.module == kNone) {
      entry.row.module = module;
      entry.row.hot_rva = static_cast<u32>(site.address - image_base);
      if (site.line_begin < site.line_end) {
        entry.row.code_begin = static_cast<u32>(site.line_begin - image_base);
        entry.row.code_end = static_cast<u32>(site.line_end - image_base);
      }
    }
    const CodeFrame& innermost = from_.code_frames[site.first_frame];
    if (!innermost.is_inlined) return;
    const u32 inner_file = from_.texts[innermost.file].empty() ? kNone : file_of(innermost.file);
    entry.inlined[{from_.texts[innermost.function], inner_file, innermost.line}] += count;
  }

  std::vector<LineRow> take() {
    std::vector<LineRow> rows;
    rows.reserve(lines_.size());
    for (auto& [key, entry] : lines_) {
      for (const auto& [inner, hits] : entry.inlined) {
        entry.row.inlined.push_back(
            {.function = std::get<0>(inner), .file = std::get<1>(inner), .line = std::get<2>(inner), .hits = hits});
      }
      std::sort(entry.row.inlined.begin(), entry.row.inlined.end(), [](const InlinedHits& a, const InlinedHits& b) {
        return std::tie(b.hits, a.function, a.file, a.line) < std::tie(a.hits, b.function, b.file, b.line);
      });
      rows.push_back(std::move(entry.row));
    }
    std::sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
      return std::tie(b.hits, a.file, a.line) < std::tie(a.hits, b.file, b.line);
    });
    return rows;
  }

 private:
  struct Entry {
    LineRow row;
    std::map<std::tuple<std::string, u32, u32>, u64> inlined;
  };
  u32 file_of(u32 text) {
    const auto [entry, is_new] = numbers_.try_emplace(text, static_cast<u32>(files_.size()));
    if (is_new) files_.push_back({.path = from_.texts[text], .text = {}});
    return entry->second;
  }

  const StackProfile& from_;
  std::vector<SourceFile>& files_;
  std::map<u32, u32>& numbers_;  // text of the profile → file of the view
  std::map<std::pair<u32, u32>, Entry> lines_;
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

  SampleProfile make();

 private:
  std::vector<u32> add_modules_to_target();
  void count(usize row);
  SampledEvent event_of(u32 number);
  std::vector<SymbolRow> rows_of(const Counts& counts);
  void add_threads(const Counts& counts, SampledEvent& event) const;
  void add_modules(const Counts& counts, SampledEvent& event);
  void add_callers(const Counts& counts, SampledEvent& event) const;
  std::vector<u32> name_ranks() const;
  u32 caller_of(u32 node);

  const StackProfile& from_;
  CompatRun run_;
  const u16 fixed_code_;
  const std::vector<u32> modules_;  // of the profile → of the target
  SymbolsOfView symbols_;
  std::vector<Counts> counts_;
  SampleProfile out_;
  std::map<u32, u32> file_numbers_;
  std::vector<u32> ranks_;  // of symbols, in the order of the names that are shown
};

// Those of the program come first, as the run has them.
std::vector<u32> CompatView::add_modules_to_target() {
  std::vector<SampleModule>& modules = run_.target.modules;
  const usize own = modules.size();
  std::vector<u32> numbers;
  for (const stacks::StackModule& module : from_.modules) {
    const auto end = modules.begin() + static_cast<std::ptrdiff_t>(own);
    const auto known = std::find_if(modules.begin(), end, [&](const SampleModule& one) {
      return !one.path.empty() ? one.path == module.path : '[' + one.name + ']' == module.path;
    });
    numbers.push_back(static_cast<u32>(known - modules.begin()));
    if (known == end) {
      numbers.back() = static_cast<u32>(modules.size());
      SampleModule& added = modules.emplace_back();
      added.name = module.name;
      added.path = module.path;
    }
    SampleModule& made = modules[numbers.back()];
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
  if (parent == 0 || parent == kNothing) return kNone;
  const u32 function = from_.places[from_.nodes[parent].place].function;
  return from_.functions[function].is_known ? symbols_.of(function) : kNone;
}

void CompatView::count(usize row) {
  const StackSample& sample = from_.samples[row];
  Counts& counts = counts_[sample.event];
  const stacks::StackTask& task = from_.tasks[sample.task];
  const bool is_other = !run_.all_processes && task.pid != run_.target.process;
  const u32 function = from_.places[from_.nodes[sample.node].place].function;
  const u32 symbol = is_other ? symbols_.other_process() : symbols_.of(function);
  counts.samples += sample.count;
  counts.of_thread[u64{task.pid} << 32 | task.tid] += sample.count;
  counts.of_core[sample.core] += sample.count;
  if (is_other) {
    counts.of_place[{symbol, 0, kNothing}] += sample.count;
    counts.of_module[{kNone, SymbolKind::other_process}] += sample.count;
  } else {
    const u32 site = from_.site_of_node.empty() ? kNothing : from_.site_of_node[sample.node];
    const u64 address = from_.address_of_node.empty() ? 0 : from_.address_of_node[sample.node];
    counts.of_place[{symbol, address, site}] += sample.count;
    const StackFunction& one = from_.functions[function];
    const bool nowhere = from_.modules[one.module].is_nowhere || (one.is_kernel && !one.is_known);
    counts.of_module[nowhere ? std::pair(kNone, symbols_.all()[symbol].kind)
                             : std::pair(modules_[one.module], SymbolKind::function)] += sample.count;
    if (run_.callers) counts.of_caller[{symbol, caller_of(sample.node)}] += sample.count;
  }
  if (from_.slices.count == 0) return;
  if (symbol >= counts.over_time.size()) counts.over_time.resize(symbol + usize{1});
  std::vector<u32>& slices = counts.over_time[symbol];
  if (slices.empty()) slices.resize(from_.slices.count);
  slices[from_.slice_of_sample[row]] += static_cast<u32>(sample.count);
}

std::vector<SymbolRow> CompatView::rows_of(const Counts& counts) {
  struct Hot {
    u64 address = 0, hits = 0;
    u32 site = kNothing;
  };
  std::map<u32, std::vector<Hot>> of_symbol;
  for (const auto& [place, hits] : counts.of_place) {
    of_symbol[std::get<0>(place)].push_back({std::get<1>(place), hits, std::get<2>(place)});
  }
  std::vector<SymbolRow> rows;
  for (auto& [symbol, places] : of_symbol) {
    std::sort(places.begin(), places.end(),
              [](const Hot& a, const Hot& b) { return a.hits != b.hits ? a.hits > b.hits : a.address < b.address; });
    SymbolRow& row = rows.emplace_back();
    row.symbol = symbol;
    LinesOfSymbol lines(from_, out_.files, file_numbers_);
    const u32 module = out_.symbols[symbol].module;
    for (const Hot& hot : places) {
      row.count += hot.hits;
      if (hot.address != 0) row.pcs.push_back({.address = hot.address, .count = hot.hits});
      if (hot.site == kNothing || module == kNone) continue;
      lines.add(from_.sites[hot.site], module, out_.target.modules[module].image_base, hot.hits);
    }
    row.lines = lines.take();
    if (symbol < counts.over_time.size()) row.over_time = counts.over_time[symbol];
  }
  std::sort(rows.begin(), rows.end(), [&](const SymbolRow& a, const SymbolRow& b) {
    return a.count != b.count ? a.count > b.count : ranks_[a.symbol] < ranks_[b.symbol];
  });
  return rows;
}

std::vector<u32> CompatView::name_ranks() const {
  std::vector<std::pair<std::string, u32>> shown;
  for (u32 symbol = 0; symbol < out_.symbols.size(); ++symbol) shown.emplace_back(display_name(out_, symbol), symbol);
  std::sort(shown.begin(), shown.end());
  std::vector<u32> ranks(shown.size());
  for (u32 rank = 0; rank < shown.size(); ++rank) ranks[shown[rank].second] = rank;
  return ranks;
}

void CompatView::add_threads(const Counts& counts, SampledEvent& event) const {
  for (const auto& [key, count] : counts.of_thread) {
    const u32 process = static_cast<u32>(key >> 32);
    event.threads.push_back({.process = process, .thread = static_cast<u32>(key), .count = count});
    if (event.processes.empty() || event.processes.back().process != process) {
      const auto named = std::find_if(run_.processes.begin(), run_.processes.end(),
                                      [&](const ProcessName& name) { return name.process == process; });
      event.processes.push_back({.process = process, .name = named != run_.processes.end() ? named->name : ""});
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

void CompatView::add_modules(const Counts& counts, SampledEvent& event) {
  for (const auto& [key, count] : counts.of_module) {
    event.modules.push_back({.module = key.first, .kind = key.second, .count = count});
    if (key.first != kNone) out_.target.modules[key.first].samples += count;
  }
  std::sort(event.modules.begin(), event.modules.end(), [](const ModuleCount& a, const ModuleCount& b) {
    return std::tie(b.count, a.module, a.kind) < std::tie(a.count, b.module, b.kind);
  });
}

void CompatView::add_callers(const Counts& counts, SampledEvent& event) const {
  std::vector<usize> rank(out_.symbols.size());
  for (usize i = 0; i < event.rows.size(); ++i) rank[event.rows[i].symbol] = i;
  for (const auto& [key, count] : counts.of_caller) {
    event.callers.push_back({.symbol = key.first, .caller = key.second, .count = count});
  }
  std::sort(event.callers.begin(), event.callers.end(), [&](const CallerCount& a, const CallerCount& b) {
    if (a.symbol != b.symbol) return rank[a.symbol] < rank[b.symbol];
    return a.count != b.count ? a.count > b.count : a.caller < b.caller;
  });
}

SampledEvent CompatView::event_of(u32 number) {
  const stacks::StackEvent& from = from_.events[number];
  const Counts& counts = counts_[number];
  SampledEvent event;
  event.name = from.name;
  event.code = static_cast<u16>(from.code);
  event.fixed = from.type == kRawEvent && from.code == fixed_code_;
  event.interval = static_cast<u32>(from.interval);
  event.samples = counts.samples;
  event.rows = rows_of(counts);
  add_threads(counts, event);
  add_modules(counts, event);
  for (const auto& [core, count] : counts.of_core) event.cores.push_back({.core = core, .count = count});
  add_callers(counts, event);
  return event;
}

SampleProfile CompatView::make() {
  for (usize row = 0; row < from_.samples.size(); ++row) count(row);
  out_.target = std::move(run_.target);
  out_.symbols = symbols_.take();
  ranks_ = name_ranks();
  for (u32 number = 0; number < counts_.size(); ++number) out_.events.push_back(event_of(number));
  std::sort(out_.events.begin(), out_.events.end(), [](const SampledEvent& a, const SampledEvent& b) {
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
void for_each_shown_line(const SampleProfile& profile, u32 rows, const NameFilter& filter, Visit visit) {
  for (const SampledEvent& event : profile.events) {
    for (const SymbolRow* row : choose_rows(profile, event, rows, filter)) {
      for (const LineRow& line : row->lines) visit(line);
    }
  }
}

}  // namespace

SampleProfile make_sample_profile(const StackProfile& from, CompatRun run, u16 fixed_code) {
  return CompatView(from, std::move(run), fixed_code).make();
}

std::vector<CodeBlock> code_to_disassemble(const SampleProfile& profile, u32 rows, const NameFilter& filter) {
  std::set<std::tuple<u32, u32, u32>> ranges;
  for_each_shown_line(profile, rows, filter, [&](const LineRow& line) {
    if (line.code_begin < line.code_end) ranges.emplace(line.module, line.code_begin, line.code_end);
  });
  std::vector<CodeBlock> blocks;
  for (const auto& [module, begin, end] : ranges) {
    blocks.push_back({.module = module, .begin = begin, .end = end, .instructions = {}});
  }
  return blocks;
}

std::vector<u32> files_to_read(const SampleProfile& profile, u32 rows, const NameFilter& filter) {
  std::set<u32> files;
  for_each_shown_line(profile, rows, filter, [&](const LineRow& line) { files.insert(line.file); });
  return {files.begin(), files.end()};
}

}  // namespace wperf::profile
