// SPDX-License-Identifier: BSD-3-Clause
#include "profile/sample_profile_builder.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "profile/sample_counting.h"
#include "profile/sample_naming.h"
#include "profile/sample_places.h"
#include "profile/sample_rows.h"

namespace wperf::profile {
namespace {

std::vector<PlaceHits> hits_of(const EventCounts& counts) {
  std::vector<PlaceHits> hits;
  for (u32 place = 0; place < counts.of_place.size(); ++place) {
    if (counts.of_place[place] != 0) hits.push_back({.place = place, .hits = counts.of_place[place]});
  }
  return hits;
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
  return addresses_in_modules({&places.pcs.places(), &places.calls.places()}, run.target.modules);
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
  const std::vector<u32> ranks = name_ranks(profile);
  for (usize i = 0; i < counts.size(); ++i) {
    SampledEvent event = named_event(run.events[i], counts[i].samples);
    const std::vector<PlaceHits> hits = hits_of(counts[i]);
    event.rows = make_symbol_rows(hits, pcs, names);
    for (SymbolRow& row : event.rows) {
      if (row.symbol < counts[i].over_time.size()) row.over_time = counts[i].over_time[row.symbol];
    }
    sort_symbol_rows(ranks, event.rows);
    add_threads({counts[i].of_thread.begin(), counts[i].of_thread.end()}, run.processes, event);
    add_modules(hits, pcs, profile.symbols, profile.target.modules, event);
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
