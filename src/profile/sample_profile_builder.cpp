// SPDX-License-Identifier: BSD-3-Clause
#include "profile/sample_profile_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profile/sample_counting.h"
#include "profile/sample_naming.h"
#include "profile/sample_places.h"

namespace wperf::profile {
namespace {

// Lines of one symbol while they are counted.
class LineTable {
 public:
  explicit LineTable(NameTable& names) : names_(names) {}

  void add(const NamedPlace& place, u64 count) {
    if (place.answer == nullptr || place.answer->frames.empty()) return;
    const AddressFrame& own = place.answer->frames.back();
    if (own.line == 0 || own.file.empty()) return;
    const u32 file = names_.file(own.file);
    Entry& entry = lines_[{file, own.line}];
    entry.row.file = file;
    entry.row.line = own.line;
    entry.row.hits += count;
    // Places come most frequent first.
    if (entry.row.module == kNone) {
      entry.row.module = place.module;
      entry.row.hot_rva = place.answer->rva;
      entry.row.code_begin = place.answer->line_begin;
      entry.row.code_end = place.answer->line_end;
    }
    const AddressFrame& innermost = place.answer->frames.front();
    if (innermost.inlined) {
      const u32 inner_file = innermost.file.empty() ? kNone : names_.file(innermost.file);
      entry.inlined[{innermost.function, inner_file, innermost.line}] += count;
    }
  }

  std::vector<LineRow> take() {
    std::vector<LineRow> rows;
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
  NameTable& names_;
  std::map<std::pair<u32, u32>, Entry> lines_;  // by file and line
};

SymbolRow make_row(u32 symbol, std::vector<std::pair<const NamedPlace*, u64>>& hits, NameTable& names) {
  std::sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first->address < b.first->address;
  });
  SymbolRow row;
  row.symbol = symbol;
  LineTable lines(names);
  for (const auto& [place, count] : hits) {
    row.count += count;
    row.pcs.push_back({.address = place->address, .count = count});
    lines.add(*place, count);
  }
  row.lines = lines.take();
  return row;
}

std::vector<SymbolRow> make_rows(const EventCounts& counts, const std::vector<NamedPlace>& pcs, u32 symbol_count,
                                 NameTable& names) {
  std::vector<std::vector<std::pair<const NamedPlace*, u64>>> hits(symbol_count);
  for (usize place = 0; place < pcs.size(); ++place) {
    if (counts.of_place[place] != 0) hits[pcs[place].symbol].emplace_back(&pcs[place], counts.of_place[place]);
  }
  std::vector<SymbolRow> rows;
  for (u32 symbol = 0; symbol < symbol_count; ++symbol) {
    if (hits[symbol].empty()) continue;
    rows.push_back(make_row(symbol, hits[symbol], names));
    // Addresses of other processes mean nothing here.
    if (symbol == pcs[kOtherProcess].symbol) rows.back().pcs.clear();
    if (symbol < counts.over_time.size()) rows.back().over_time = counts.over_time[symbol];
  }
  return rows;
}

void sort_rows(SampleProfile& profile, std::vector<SymbolRow>& rows) {
  std::vector<std::string> shown;
  for (u32 symbol = 0; symbol < profile.symbols.size(); ++symbol) shown.push_back(display_name(profile, symbol));
  std::sort(rows.begin(), rows.end(), [&](const SymbolRow& a, const SymbolRow& b) {
    return a.count != b.count ? a.count > b.count : shown[a.symbol] < shown[b.symbol];
  });
}

void add_threads(const EventCounts& counts, const SampleRun& run, SampledEvent& event) {
  const std::map<u64, u64> threads(counts.of_thread.begin(), counts.of_thread.end());
  for (const auto& [key, count] : threads) {
    const u32 process = static_cast<u32>(key >> 32);
    event.threads.push_back({.process = process, .thread = static_cast<u32>(key), .count = count});
    if (event.processes.empty() || event.processes.back().process != process) {
      const auto named = std::find_if(run.processes.begin(), run.processes.end(),
                                      [&](const ProcessName& name) { return name.process == process; });
      event.processes.push_back({.process = process, .name = named != run.processes.end() ? named->name : ""});
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

void add_modules(const EventCounts& counts, const std::vector<NamedPlace>& pcs, const std::vector<Symbol>& symbols,
                 std::vector<SampleModule>& modules, SampledEvent& event) {
  std::map<std::pair<u32, SymbolKind>, u64> sums;
  for (usize place = 0; place < pcs.size(); ++place) {
    if (counts.of_place[place] == 0) continue;
    const NamedPlace& pc = pcs[place];
    const SymbolKind kind = pc.module != kNone ? SymbolKind::function : symbols[pc.symbol].kind;
    sums[{pc.module, kind}] += counts.of_place[place];
    if (pc.module != kNone) modules[pc.module].samples += counts.of_place[place];
  }
  for (const auto& [key, count] : sums) {
    event.modules.push_back({.module = key.first, .kind = key.second, .count = count});
  }
  std::sort(event.modules.begin(), event.modules.end(), [](const ModuleCount& a, const ModuleCount& b) {
    return std::tie(b.count, a.module, a.kind) < std::tie(a.count, b.module, b.kind);
  });
}

void add_callers(const EventCounts& counts, u32 symbol_count, SampledEvent& event) {
  std::vector<usize> rank(symbol_count);
  for (usize i = 0; i < event.rows.size(); ++i) rank[event.rows[i].symbol] = i;
  for (const auto& [key, count] : counts.of_caller) {
    event.callers.push_back({.symbol = static_cast<u32>(key >> 32), .caller = static_cast<u32>(key), .count = count});
  }
  std::sort(event.callers.begin(), event.callers.end(), [&](const CallerCount& a, const CallerCount& b) {
    if (a.symbol != b.symbol) return rank[a.symbol] < rank[b.symbol];
    return a.count != b.count ? a.count > b.count : a.caller < b.caller;
  });
}

SampledEvent named_event(const EventRequest& request, u64 samples) {
  SampledEvent event;
  event.name = request.name;
  event.code = request.code;
  event.fixed = request.fixed;
  event.interval = request.interval;
  event.samples = samples;
  return event;
}

template <typename Visit>
void for_each_line(const SampleProfile& profile, u32 rows, const NameFilter& filter, Visit visit) {
  for (const SampledEvent& event : profile.events) {
    for (const SymbolRow* row : choose_rows(profile, event, rows, filter)) {
      for (const LineRow& line : row->lines) visit(line);
    }
  }
}

}  // namespace

std::vector<std::vector<u32>> addresses_to_name(const SampleColumns& samples, const SampleRun& run) {
  const SamplePlaces places = collect_places(samples, run);
  const ModuleMap map(run.target.modules);
  std::vector<std::vector<u32>> addresses(run.target.modules.size());
  for (const PlaceIndex* index : {&places.pcs, &places.calls}) {
    for (usize number = 1; number < index->places().size(); ++number) {
      const Place& place = index->places()[number];
      const u32 module = map.find(place);
      if (module == kNone) continue;
      addresses[module].push_back(static_cast<u32>(place.address - run.target.modules[module].base));
    }
  }
  for (std::vector<u32>& rvas : addresses) {
    std::sort(rvas.begin(), rvas.end());
    rvas.erase(std::unique(rvas.begin(), rvas.end()), rvas.end());
  }
  return addresses;
}

SampleProfile make_sample_profile(const SampleColumns& samples, SampleRun run,
                                  const std::vector<std::vector<AddressAnswer>>& answers) {
  const SamplePlaces places = collect_places(samples, run);
  NameTable names;
  const std::vector<NamedPlace> pcs = name_places(places.pcs.places(), run.target.modules, answers, names);
  std::vector<NamedPlace> calls;
  if (!places.call_of.empty()) calls = name_places(places.calls.places(), run.target.modules, answers, names);
  const std::vector<EventCounts> counts = count_samples(samples, run, places, pcs, calls);

  SampleProfile profile;
  profile.symbols = names.take_symbols();
  const u32 symbol_count = static_cast<u32>(profile.symbols.size());
  profile.target = std::move(run.target);
  for (usize i = 0; i < counts.size(); ++i) {
    SampledEvent event = named_event(run.events[i], counts[i].samples);
    event.rows = make_rows(counts[i], pcs, symbol_count, names);
    sort_rows(profile, event.rows);
    add_threads(counts[i], run, event);
    add_modules(counts[i], pcs, profile.symbols, profile.target.modules, event);
    for (u32 core = 0; core < counts[i].of_core.size(); ++core) {
      if (counts[i].of_core[core] != 0) event.cores.push_back({.core = core, .count = counts[i].of_core[core]});
    }
    add_callers(counts[i], symbol_count, event);
    profile.events.push_back(std::move(event));
  }
  std::sort(profile.events.begin(), profile.events.end(), [](const SampledEvent& a, const SampledEvent& b) {
    return std::tie(b.fixed, a.code, a.name, a.interval) < std::tie(a.fixed, b.code, b.name, b.interval);
  });
  profile.files = names.take_files();
  profile.cores = std::move(run.cores);
  profile.slices = slices_of(run);
  profile.exit_code = run.exit_code;
  profile.elapsed_seconds = run.end_ns > run.start_ns ? static_cast<double>(run.end_ns - run.start_ns) / 1e9 : 0;
  return profile;
}

std::vector<CodeBlock> code_to_disassemble(const SampleProfile& profile, u32 rows, const NameFilter& filter) {
  std::set<std::tuple<u32, u32, u32>> ranges;
  for_each_line(profile, rows, filter, [&](const LineRow& line) {
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
  for_each_line(profile, rows, filter, [&](const LineRow& line) { files.insert(line.file); });
  return {files.begin(), files.end()};
}

}  // namespace wperf::profile
