// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/compat_view.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "views/compat/event_counts.h"
#include "views/compat/symbol_hits.h"

namespace wperf::compat {
namespace {

using answers::SampleModule;
using stacks::CodeFrame;
using stacks::CodeSite;
using stacks::kNothing;
using stacks::StackFunction;
using stacks::StackProfile;
using stacks::StackSample;

constexpr u32 kRawEvent = 4;      // PERF_TYPE_RAW: an event with a hardware number
constexpr u32 kOtherProcess = 0;  // the node of SPE samples outside of the target: the root, which has no place

// Maps functions of the profile to symbols of the view. Functions without a name share one symbol for each kind.
class SymbolsOfView {
 public:
  SymbolsOfView(const StackProfile& from, const std::vector<u32>& modules)
      : from_(from), modules_(modules), of_function_(from.functions.size(), kNone) {}

  u32 of_kind(SymbolKind kind) {
    u32& known = of_kind_[static_cast<usize>(kind)];
    if (known == kNone) {
      known = static_cast<u32>(symbols_.size());
      symbols_.push_back({.kind = kind, .name = {}, .module = kNone});
    }
    return known;
  }
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
  const StackProfile& from_;
  const std::vector<u32>& modules_;
  std::vector<Symbol> symbols_;
  std::vector<u32> of_function_;
  u32 of_kind_[4] = {kNone, kNone, kNone, kNone};
};

// The rank of each symbol in the order of displayed names.
std::vector<u32> name_ranks(const CompatView& view) {
  std::vector<std::pair<std::string, u32>> shown;
  for (u32 symbol = 0; symbol < view.symbols.size(); ++symbol) shown.emplace_back(display_name(view, symbol), symbol);
  std::sort(shown.begin(), shown.end());
  std::vector<u32> ranks(shown.size());
  for (u32 rank = 0; rank < shown.size(); ++rank) ranks[shown[rank].second] = rank;
  return ranks;
}

class ViewMaker {
 public:
  ViewMaker(const StackProfile& from, answers::SampledRun run, u16 fixed_code)
      : from_(from),
        out_(view_of(std::move(run))),
        fixed_code_(fixed_code),
        modules_(out_.run.of_operations ? modules_of_target() : add_modules_to_target()),
        symbols_(from, modules_),
        counts_(from.events.size()) {}

  CompatView make();

 private:
  static CompatView view_of(answers::SampledRun run) {
    CompatView view;
    view.run = std::move(run);
    return view;
  }
  std::vector<u32> modules_of_target() const;
  std::vector<u32> add_modules_to_target();
  void count_samples();
  void count(const StackSample& sample);
  void count_owner(const answers::OwnerCount& owner);
  void count_over_time(const stacks::SliceCount& one);
  bool is_of_others(const StackSample& sample) const;
  u32 symbol_of(const StackSample& sample);
  SampledEvent event_of(u32 number, const NamesOfProcesses& names);
  std::vector<PlaceHits> places_of(const EventCounts& counts);
  std::vector<SymbolRow> rows_of(EventCounts& counts);
  bool has_address(const PlaceHits& place) const;
  u32 file_of(u32 text);
  void add_line(const CodeSite& site, u32 module, u64 count, LineRows& lines);
  u32 caller_of(u32 node);

  const StackProfile& from_;
  CompatView out_;
  const u16 fixed_code_;
  const std::vector<u32> modules_;  // profile's module number → target's
  SymbolsOfView symbols_;
  std::vector<EventCounts> counts_;
  std::map<u32, u32> file_numbers_;  // text of the profile → file of the view
  std::vector<u32> ranks_;           // rank of each symbol in the order of printed names
};

// The first modules of the profile are the modules of the target; modules without a file follow.
std::vector<u32> ViewMaker::modules_of_target() const {
  std::vector<u32> numbers(from_.modules.size(), kNone);
  for (u32 i = 0; i < out_.run.target.modules.size(); ++i) numbers[i] = i;
  return numbers;
}

// The program's modules come first, in the order of the run.
std::vector<u32> ViewMaker::add_modules_to_target() {
  std::vector<SampleModule>& modules = out_.run.target.modules;
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

u32 ViewMaker::caller_of(u32 node) {
  const u32 parent = from_.nodes[node].parent;
  if (parent == 0 || parent == kNothing) return kNone;
  const u32 function = from_.function_of(parent);
  return from_.functions[function].is_known ? symbols_.of(function) : kNone;
}

bool ViewMaker::is_of_others(const StackSample& sample) const {
  if (out_.run.of_operations) return sample.node == kOtherProcess;
  return !out_.run.all_processes && from_.tasks[sample.task].pid != out_.run.target.process;
}

u32 ViewMaker::symbol_of(const StackSample& sample) {
  if (is_of_others(sample)) {
    // If the program was not found, its samples are "unknown", which clients expect.
    const bool is_unknown = out_.run.target.process == 0 && !out_.run.of_operations;
    return symbols_.of_kind(is_unknown ? SymbolKind::unknown : SymbolKind::other_process);
  }
  return symbols_.of(from_.function_of(sample.node));
}

void ViewMaker::count_samples() {
  std::vector<usize> rows(counts_.size());
  for (const StackSample& sample : from_.samples) ++rows[sample.event];
  for (usize event = 0; event < rows.size(); ++event) counts_[event].rows.reserve(rows[event]);
  for (u32 row = 0; row < from_.samples.size(); ++row) {
    counts_[from_.samples[row].event].rows.push_back(row);
    count(from_.samples[row]);
  }
  for (const answers::OwnerCount& owner : out_.run.owners) count_owner(owner);
  for (const stacks::SliceCount& one : from_.slice_counts) count_over_time(one);
}

void ViewMaker::count(const StackSample& sample) {
  EventCounts& counts = counts_[sample.event];
  const u32 symbol = symbol_of(sample);
  counts.samples += sample.count;
  if (!out_.run.of_operations) {
    const stacks::StackTask& task = from_.tasks[sample.task];
    count_owner({sample.event, sample.core, u64{task.pid} << 32 | task.tid, sample.count});
  }
  if (is_of_others(sample)) {
    counts.of_module[{kNone, SymbolKind::other_process}] += sample.count;
    return;
  }
  const StackFunction& one = from_.functions[from_.function_of(sample.node)];
  const bool nowhere = from_.modules[one.module].is_nowhere || (one.is_kernel && !one.is_known);
  counts.of_module[nowhere ? std::pair(kNone, symbols_.all()[symbol].kind)
                           : std::pair(modules_[one.module], SymbolKind::function)] += sample.count;
  if (out_.run.callers) counts.of_caller[{symbol, caller_of(sample.node)}] += sample.count;
}

void ViewMaker::count_owner(const answers::OwnerCount& owner) {
  EventCounts& counts = counts_[owner.event];
  counts.of_core[owner.core] += owner.count;
  if (owner.thread.has_value()) counts.of_thread[*owner.thread] += owner.count;
}

void ViewMaker::count_over_time(const stacks::SliceCount& one) {
  const StackSample& sample = from_.samples[one.row];
  const u32 symbol = symbol_of(sample);
  EventCounts& counts = counts_[sample.event];
  if (symbol >= counts.over_time.size()) counts.over_time.resize(symbol + usize{1});
  std::vector<u32>& slices = counts.over_time[symbol];
  if (slices.empty()) slices.resize(from_.slices.count);
  slices[one.slice] += static_cast<u32>(one.count);
}

// SPE may sample code at address 0. In other profiles, 0 means an unknown address.
bool ViewMaker::has_address(const PlaceHits& place) const {
  return out_.run.of_operations ? out_.symbols[place.symbol].kind != SymbolKind::other_process : place.address != 0;
}

std::vector<PlaceHits> ViewMaker::places_of(const EventCounts& counts) {
  std::vector<PlaceHits> places;
  places.reserve(counts.rows.size());
  for (const u32 row : counts.rows) {
    const StackSample& sample = from_.samples[row];
    PlaceHits& place = places.emplace_back(PlaceHits{.symbol = symbol_of(sample), .hits = sample.count});
    if (is_of_others(sample)) continue;
    if (!from_.site_of_node.empty()) place.site = from_.site_of_node[sample.node];
    if (!from_.address_of_node.empty()) place.address = from_.address_of_node[sample.node];
  }
  return places;
}

std::vector<SymbolRow> ViewMaker::rows_of(EventCounts& counts) {
  std::vector<SymbolRow> rows;
  std::vector<PlaceHits> hits = places_of(counts);
  counts.rows = {};
  for (const std::span<PlaceHits> all : by_symbol(hits, out_.symbols.size())) {
    if (all.empty()) continue;
    const u32 symbol = all.front().symbol, module = out_.symbols[symbol].module;
    const bool is_distinct = module != kNone && out_.run.of_operations;
    const std::span<const PlaceHits> places = most_first(is_distinct ? all : joined(all));
    SymbolRow& row = rows.emplace_back();
    row.symbol = symbol;
    row.pcs.reserve(places.size());
    LineRows lines;
    for (const PlaceHits& hot : places) {
      row.count += hot.hits;
      if (has_address(hot)) row.pcs.push_back({.address = hot.address, .count = hot.hits});
      if (hot.site == kNothing || module == kNone) continue;
      add_line(from_.sites[hot.site], module, hot.hits, lines);
    }
    row.lines = lines.take();
    if (symbol < counts.over_time.size()) row.over_time = std::move(counts.over_time[symbol]);
  }
  std::sort(rows.begin(), rows.end(), [&](const SymbolRow& a, const SymbolRow& b) {
    return a.count != b.count ? a.count > b.count : ranks_[a.symbol] < ranks_[b.symbol];
  });
  return rows;
}

u32 ViewMaker::file_of(u32 text) {
  const auto [entry, is_new] = file_numbers_.try_emplace(text, static_cast<u32>(out_.files.size()));
  if (is_new) out_.files.push_back({.path = from_.texts[text], .text = {}});
  return entry->second;
}

void ViewMaker::add_line(const CodeSite& site, u32 module, u64 count, LineRows& lines) {
  if (site.frame_count == 0) return;
  const CodeFrame& own = from_.code_frames[site.first_frame + site.frame_count - 1];
  if (own.line == 0 || from_.texts[own.file].empty()) return;
  const u64 base = out_.run.target.modules[module].image_base;
  LineRows::Hits line;
  line.row.file = file_of(own.file);
  line.row.line = own.line;
  line.row.hits = count;
  line.row.module = module;
  line.row.hot_rva = static_cast<u32>(site.address - base);
  if (site.line_begin < site.line_end) {
    line.row.code_begin = static_cast<u32>(site.line_begin - base);
    line.row.code_end = static_cast<u32>(site.line_end - base);
  }
  const CodeFrame& innermost = from_.code_frames[site.first_frame];
  if (innermost.is_inlined) {
    line.is_inlined = true;
    line.inlined_function = from_.texts[innermost.function];
    line.inlined_file = from_.texts[innermost.file].empty() ? kNone : file_of(innermost.file);
    line.inlined_line = innermost.line;
  }
  lines.add(line);
}

SampledEvent ViewMaker::event_of(u32 number, const NamesOfProcesses& names) {
  const stacks::StackEvent& from = from_.events[number];
  EventCounts& counts = counts_[number];
  SampledEvent event;
  event.name = from.name;
  event.code = static_cast<u16>(from.code);
  event.fixed = from.type == kRawEvent && from.code == fixed_code_;
  event.interval = static_cast<u32>(from.interval);
  event.samples = counts.samples;
  event.rows = rows_of(counts);
  add_threads(counts, names, event);
  add_modules(counts, out_.run.target.modules, event);
  for (const auto& [core, count] : counts.of_core) event.cores.push_back({.core = core, .count = count});
  add_callers(counts, out_.symbols.size(), event);
  return event;
}

CompatView ViewMaker::make() {
  if (out_.run.of_operations) {  // symbols are in the order of the profile's functions
    symbols_.of_kind(SymbolKind::other_process);
    for (u32 function = 1; function < from_.functions.size(); ++function) symbols_.of(function);
  }
  count_samples();
  out_.symbols = symbols_.take();
  ranks_ = name_ranks(out_);
  const NamesOfProcesses names = by_process(out_.run.processes);
  for (u32 number = 0; number < counts_.size(); ++number) out_.events.push_back(event_of(number, names));
  const bool by_samples = out_.run.of_operations;
  std::sort(out_.events.begin(), out_.events.end(), [by_samples](const SampledEvent& a, const SampledEvent& b) {
    if (by_samples) return std::tie(b.samples, a.name) < std::tie(a.samples, b.name);
    return std::tie(b.fixed, a.code, a.name, a.interval) < std::tie(a.fixed, b.code, b.name, b.interval);
  });
  out_.slices = {.count = from_.slices.count, .length_ns = from_.slices.length_ns};
  return std::move(out_);
}

}  // namespace

CompatView make_view(const StackProfile& from, answers::SampledRun run, u16 fixed_code) {
  return ViewMaker(from, std::move(run), fixed_code).make();
}

}  // namespace wperf::compat
