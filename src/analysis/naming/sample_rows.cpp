// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/naming/sample_rows.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace wperf::naming {

void LineRows::add(const SourceLineHits& line) {
  Entry& entry = lines_[{line.file, line.line}];
  entry.row.hits += line.hits;
  if (entry.row.file == answers::kNone) {
    entry.row.file = line.file;
    entry.row.line = line.line;
    entry.row.module = line.module;
    entry.row.hot_rva = line.rva;
    entry.row.code_begin = line.code_begin;
    entry.row.code_end = line.code_end;
  }
  if (line.is_inlined) {
    entry.inlined[{std::string(line.inlined_function), line.inlined_file, line.inlined_line}] += line.hits;
  }
}

std::vector<answers::LineRow> LineRows::take() {
  std::vector<answers::LineRow> rows;
  rows.reserve(lines_.size());
  for (auto& [key, entry] : lines_) {
    for (const auto& [inner, hits] : entry.inlined) {
      entry.row.inlined.push_back(
          {.function = std::get<0>(inner), .file = std::get<1>(inner), .line = std::get<2>(inner), .hits = hits});
    }
    std::sort(entry.row.inlined.begin(), entry.row.inlined.end(),
              [](const answers::InlinedHits& a, const answers::InlinedHits& b) {
                return std::tie(b.hits, a.function, a.file, a.line) < std::tie(a.hits, b.function, b.file, b.line);
              });
    rows.push_back(std::move(entry.row));
  }
  std::sort(rows.begin(), rows.end(), [](const answers::LineRow& a, const answers::LineRow& b) {
    return std::tie(b.hits, a.file, a.line) < std::tie(a.hits, b.file, b.line);
  });
  return rows;
}

namespace {

// Adds hits of one symbol.
void add_line(const NamedPlace& place, u64 count, NameTable& names, LineRows& lines) {
  if (place.answer == nullptr || place.answer->frames.empty()) return;
  const answers::AddressFrame& own = place.answer->frames.back();
  if (own.line == 0 || own.file.empty()) return;
  const u32 file = names.file(own.file);
  const answers::AddressFrame& innermost = place.answer->frames.front();
  lines.add({.file = file,
             .line = own.line,
             .hits = count,
             .module = place.module,
             .rva = place.answer->rva,
             .code_begin = place.answer->line_begin,
             .code_end = place.answer->line_end,
             .is_inlined = innermost.inlined,
             .inlined_function = innermost.function,
             .inlined_file = innermost.inlined && !innermost.file.empty() ? names.file(innermost.file) : answers::kNone,
             .inlined_line = innermost.line});
}

struct HotPlace {
  const NamedPlace* place = nullptr;
  u64 hits = 0;
};
struct HitsOfSymbol {
  u32 symbol = 0;
  std::span<const HotPlace> hits;  // most frequent first
};

// The hits dealt out to their symbols, which are numbered from 0: quicker than sorting all.
class BySymbol {
 public:
  BySymbol(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs) : places_(hits.size()) {
    std::vector<u32> ends;
    for (const PlaceHits& one : hits) {
      const u32 symbol = pcs[one.place].symbol;
      if (symbol >= ends.size()) ends.resize(symbol + usize{1});
      ++ends[symbol];
    }
    u32 sum = 0;
    for (u32& end : ends) sum = std::exchange(end, sum) + sum;
    for (const PlaceHits& one : hits) {
      const NamedPlace& place = pcs[one.place];
      places_[ends[place.symbol]++] = {.place = &place, .hits = one.hits};
    }
    u32 begin = 0;
    for (u32 symbol = 0; symbol < ends.size(); begin = ends[symbol++]) {
      const auto group = std::span(places_).subspan(begin, ends[symbol] - begin);
      if (group.empty()) continue;
      std::sort(group.begin(), group.end(), [](const HotPlace& a, const HotPlace& b) {
        return a.hits != b.hits ? a.hits > b.hits : a.place->address < b.place->address;
      });
      groups_.push_back({.symbol = symbol, .hits = group});
    }
  }
  const std::vector<HitsOfSymbol>& groups() const { return groups_; }

 private:
  std::vector<HotPlace> places_;
  std::vector<HitsOfSymbol> groups_;
};

}  // namespace

std::vector<answers::SymbolRow> make_symbol_rows(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                                                 NameTable& names) {
  std::vector<answers::SymbolRow> rows;
  const BySymbol by_symbol(hits, pcs);
  rows.reserve(by_symbol.groups().size());
  for (const HitsOfSymbol& group : by_symbol.groups()) {
    answers::SymbolRow row;
    row.symbol = group.symbol;
    row.pcs.reserve(group.hits.size());
    LineRows lines;
    for (const HotPlace& hot : group.hits) {
      row.count += hot.hits;
      row.pcs.push_back({.address = hot.place->address, .count = hot.hits});
      add_line(*hot.place, hot.hits, names, lines);
    }
    row.lines = lines.take();
    // Addresses of other processes have no meaning here.
    if (row.symbol == pcs[kOtherProcess].symbol) row.pcs.clear();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<u32> name_ranks(const answers::CompatProfile& profile) {
  std::vector<std::pair<std::string, u32>> shown;
  for (u32 symbol = 0; symbol < profile.symbols.size(); ++symbol) {
    shown.emplace_back(answers::display_name(profile, symbol), symbol);
  }
  std::sort(shown.begin(), shown.end());
  std::vector<u32> ranks(shown.size());
  for (u32 rank = 0; rank < shown.size(); ++rank) ranks[shown[rank].second] = rank;
  return ranks;
}

void sort_symbol_rows(const std::vector<u32>& ranks, std::vector<answers::SymbolRow>& rows) {
  std::sort(rows.begin(), rows.end(), [&](const answers::SymbolRow& a, const answers::SymbolRow& b) {
    return a.count != b.count ? a.count > b.count : ranks[a.symbol] < ranks[b.symbol];
  });
}

void add_threads(const std::map<u64, u64>& threads, const std::vector<answers::ProcessName>& names,
                 answers::SampledEvent& event) {
  for (const auto& [key, count] : threads) {
    const u32 process = static_cast<u32>(key >> 32);
    event.threads.push_back({.process = process, .thread = static_cast<u32>(key), .count = count});
    if (event.processes.empty() || event.processes.back().process != process) {
      const auto named = std::find_if(names.begin(), names.end(),
                                      [&](const answers::ProcessName& name) { return name.process == process; });
      event.processes.push_back({.process = process, .name = named != names.end() ? named->name : ""});
    }
    event.processes.back().count += count;
  }
  std::sort(event.threads.begin(), event.threads.end(),
            [](const answers::ThreadCount& a, const answers::ThreadCount& b) {
              return std::tie(b.count, a.process, a.thread) < std::tie(a.count, b.process, b.thread);
            });
  std::sort(event.processes.begin(), event.processes.end(),
            [](const answers::ProcessCount& a, const answers::ProcessCount& b) {
              return std::tie(b.count, a.process) < std::tie(a.count, b.process);
            });
}

void add_modules(const std::vector<PlaceHits>& hits, const std::vector<NamedPlace>& pcs,
                 const std::vector<answers::Symbol>& symbols, std::vector<answers::SampleModule>& modules,
                 answers::SampledEvent& event) {
  ModuleSums sums;
  for (const PlaceHits& one : hits) {
    const NamedPlace& pc = pcs[one.place];
    sums[{pc.module, pc.module != answers::kNone ? answers::SymbolKind::function : symbols[pc.symbol].kind}] +=
        one.hits;
  }
  add_modules(sums, modules, event);
}

void add_modules(const ModuleSums& sums, std::vector<answers::SampleModule>& modules, answers::SampledEvent& event) {
  for (const auto& [key, count] : sums) {
    event.modules.push_back({.module = key.first, .kind = key.second, .count = count});
    if (key.first != answers::kNone) modules[key.first].samples += count;
  }
  std::sort(event.modules.begin(), event.modules.end(),
            [](const answers::ModuleCount& a, const answers::ModuleCount& b) {
              return std::tie(b.count, a.module, a.kind) < std::tie(a.count, b.module, b.kind);
            });
}

}  // namespace wperf::naming
