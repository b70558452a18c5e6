// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/operations/shared_lines.h"
#include "analysis/operations/spe_access_sums.h"

namespace wperf::operations {
namespace {

using spe::Aggregator;
using spe::DataSource;
using spe::LatencyHits;
using spe::SiteAccesses;
using spe::SourceAccesses;
using spe::SourceCode;
using spe::TouchedData;

// Data sources as rows, numbered in the order in which they are shown.
class SourceTable {
 public:
  explicit SourceTable(const std::vector<SourceAccesses>& sources) {
    std::map<Key, u32> order;
    for (const SourceAccesses& one : sources) order.try_emplace(key_of(one.store, one.source), 0);
    for (auto& [key, number] : order) {
      number = static_cast<u32>(rows_.size());
      rows_.push_back({.name = std::get<2>(key), .given = std::get<0>(key) <= kNumbered});
    }
    for (const SourceAccesses& one : sources) {
      const u32 number = order.at(key_of(one.store, one.source));
      row_of_source_.push_back(number);
      if (const DataSource* source = one.source.source(); source != nullptr) rows_[number].title = source->text;
    }
  }
  u32 row_of(u32 source) const { return row_of_source_[source]; }
  u32 size() const { return static_cast<u32>(rows_.size()); }
  std::vector<SourceRow> take() { return std::move(rows_); }

 private:
  static constexpr u32 kNumbered = static_cast<u32>(spe::DataLevel::unknown);
  using Key = std::tuple<u32, u64, std::string>;  // distance, number, name

  // Sources with equal names share a row, also from different core families.
  static Key key_of(bool store, SourceCode source) {
    if (!source.given()) return {kNumbered + 1, store ? 1 : 0, store ? "stores, no source" : "loads, no source"};
    std::string name = spe::data_source_name(source.family(), source.value());
    const DataSource* const known = source.source();
    if (known == nullptr) return {kNumbered, source.value(), std::move(name)};
    return {static_cast<u32>(known->level), known->modified ? 1 : 0, std::move(name)};
  }

  std::vector<SourceRow> rows_;
  std::vector<u32> row_of_source_;  // by index of the aggregator's sources
};

// Groups places of code by source line; without line information each instruction is a line.
class CodeLines {
 public:
  explicit CodeLines(const std::vector<CodePlace>& code) {
    std::map<std::tuple<u32, u32, u32, u64>, u32> numbers;
    for (const CodePlace& place : code) {
      const bool known = place.file != answers::kNone;
      const auto [entry, is_new] = numbers.try_emplace(
          {place.symbol, place.file, place.line, known ? 0 : place.address}, static_cast<u32>(rows_.size()));
      if (is_new) rows_.push_back({.symbol = place.symbol, .file = place.file, .line = place.line});
      line_of_.push_back(entry->second);
    }
  }
  u32 line_of(u32 code_place) const { return line_of_[code_place]; }
  u32 size() const { return static_cast<u32>(rows_.size()); }
  std::vector<AccessLineRow> take() { return std::move(rows_); }

 private:
  std::vector<AccessLineRow> rows_;
  std::vector<u32> line_of_;  // by index of the place
};

// Finds for each group the member with the most cycles.
class Heaviest {
 public:
  explicit Heaviest(u32 groups) : of_group_(groups, answers::kNone), cycles_(groups) {}
  void add(u32 group, u32 member, u64 cycles) { sums_.add(u64{group} << 32 | member, cycles); }
  std::vector<u32> take() {
    sums_.for_each([&](u64 key, u64 sum) {
      const u32 group = static_cast<u32>(key >> 32), member = static_cast<u32>(key);
      u32& heaviest = of_group_[group];
      u64& cycles = cycles_[group];
      // If cycles are equal, decides by the member's number, because the table has no order.
      if (heaviest != answers::kNone && std::tuple(cycles, heaviest) > std::tuple(sum, member)) return;
      heaviest = member;
      cycles = sum;
    });
    return std::move(of_group_);
  }

 private:
  spe::CountTable sums_;
  std::vector<u32> of_group_;
  std::vector<u64> cycles_;
};

u64 identity_of(const AccessSymbolRow& row) {
  return row.symbol;
}
u64 identity_of(const AccessLineRow& row) {
  return row.address;
}

template <class Row>
void sort_most_cycles_first(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(b.counts.latency_sum, b.counts.hits, identity_of(a)) <
           std::tuple(a.counts.latency_sum, a.counts.hits, identity_of(b));
  });
}

// Makes the tables of loads and stores, by source, function and line, in one pass over the aggregator.
class AccessTables {
 public:
  AccessTables(const Aggregator& aggregator, const std::vector<SourceAccesses>& sources, const MemoryInput& input,
               u32 symbol_count)
      : input_(input),
        sources_(sources),
        lines_(input.code),
        histograms_(sources_.size()),
        by_source_(sources_.size()),
        by_symbol_(symbol_count),
        by_line_(lines_.size()),
        source_of_symbol_(symbol_count),
        source_of_line_(lines_.size()),
        place_of_line_(lines_.size()) {
    for (u32 i = 0; i < sources.size(); ++i) {
      all_.add(0, sources[i].sum);
      by_source_.add(sources_.row_of(i), sources[i].sum);
    }
    aggregator.for_each_access([&](const SiteAccesses& row) { add(row); });
    aggregator.for_each_wait([&](const spe::Wait& wait) { add(wait); });
    aggregator.for_each_latency_of_source([&](const LatencyHits& row) { add_to_source(sources_.row_of(row.of), row); });
    aggregator.for_each_latency_of_site([&](const LatencyHits& row) { add_to_place(input_.code_place(row.of), row); });
  }

  void take(MemoryProfile& memory) {
    memory.all = all_.counts().front();
    memory.histogram = histogram_.take();
    memory.sources = sources_.take();
    const std::vector<AccessCounts> of_source = by_source_.counts();
    for (usize i = 0; i < of_source.size(); ++i) {
      memory.sources[i].counts = of_source[i];
      memory.sources[i].histogram = histograms_[i].take();
    }
    take_functions(memory.functions);
    take_lines(memory.code_lines);
  }

 private:
  u32 symbol_of(u32 place) const { return input_.code[place].symbol; }

  void add(const SiteAccesses& row) {
    const u32 place = input_.code_place(row.site), line = lines_.line_of(place);
    by_symbol_.add(symbol_of(place), row.sum);
    by_line_.add(line, row.sum);
    place_of_line_.add(line, place, row.sum.latency);
  }
  void add(const spe::Wait& wait) {
    const u32 place = input_.code_place(wait.site), source = sources_.row_of(wait.source);
    source_of_symbol_.add(symbol_of(place), source, wait.cycles);
    source_of_line_.add(lines_.line_of(place), source, wait.cycles);
  }
  void add_to_source(u32 source, const LatencyHits& row) {
    all_.add_latency(0, row.cycles, row.hits);
    by_source_.add_latency(source, row.cycles, row.hits);
    histogram_.add(row.cycles, row.hits);
    histograms_[source].add(row.cycles, row.hits);
  }
  void add_to_place(u32 place, const LatencyHits& row) {
    by_symbol_.add_latency(symbol_of(place), row.cycles, row.hits);
    by_line_.add_latency(lines_.line_of(place), row.cycles, row.hits);
  }

  void take_functions(std::vector<AccessSymbolRow>& rows) {
    const std::vector<AccessCounts> sums = by_symbol_.counts();
    const std::vector<u32> slowest = source_of_symbol_.take();
    for (u32 i = 0; i < sums.size(); ++i) {
      if (sums[i].hits != 0) rows.push_back({.symbol = i, .counts = sums[i], .slowest_source = slowest[i]});
    }
    sort_most_cycles_first(rows);
  }

  void take_lines(std::vector<AccessLineRow>& rows) {
    const std::vector<AccessLineRow> lines = lines_.take();
    const std::vector<AccessCounts> sums = by_line_.counts();
    const std::vector<u32> slowest = source_of_line_.take(), places = place_of_line_.take();
    for (usize i = 0; i < sums.size(); ++i) {
      if (sums[i].hits == 0) continue;
      AccessLineRow& row = rows.emplace_back(lines[i]);
      row.counts = sums[i];
      row.slowest_source = slowest[i];
      row.address = input_.code[places[i]].address;
    }
    sort_most_cycles_first(rows);
  }

  const MemoryInput& input_;
  SourceTable sources_;
  CodeLines lines_;
  Histogram histogram_;
  std::vector<Histogram> histograms_;
  AccessSums all_{1}, by_source_, by_symbol_, by_line_;
  Heaviest source_of_symbol_, source_of_line_, place_of_line_;
};

void add_limits(const std::vector<SourceAccesses>& sources, MemoryLimits& limits) {
  for (const SourceAccesses& one : sources) {
    limits.saturated += one.sum.saturated;
    if (!one.source.given()) {
      (one.store ? limits.stores_without_source : limits.loads_without_source) += one.sum.hits;
    } else if (one.source.source() == nullptr) {
      limits.unnamed_sources += one.sum.hits;
    }
  }
}

template <class Row>
DataRow data_row(const Row& row) {
  return {.address = row.address,
          .hits = row.counts.hits,
          .stores = row.counts.stores,
          .refills = row.counts.refills,
          .walks = row.counts.walks,
          .peer = row.counts.peer,
          .mean_latency = mean_latency(row.counts)};
}

// Returns the numbers of the lines or pages with the most hits out of `count`, sorted. row_of(number) has address,
// other_process and counts.
template <class RowOf>
std::vector<u32> busiest(u32 count, const RowOf& row_of) {
  std::vector<u32> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto busier = [&](u32 a, u32 b) {
    const auto& first = row_of(a);
    const auto& second = row_of(b);
    return std::tie(second.counts.hits, first.address, first.other_process) <
           std::tie(first.counts.hits, second.address, second.other_process);
  };
  const usize kept = std::min(numbers.size(), kMostDataRows);
  std::partial_sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(kept), numbers.end(), busier);
  numbers.resize(kept);
  return numbers;
}

DataRow line_row(const spe::LineHits& line, const MemoryInput& input) {
  DataRow row = data_row(line);
  std::map<u32, u64> hits_of_place;
  std::vector<u32> threads;
  for (const spe::LinePlace& place : line.places) {
    hits_of_place[input.code_place(place.site)] += place.counts.hits;
    if (place.thread != spe::kNoThread) threads.push_back(place.thread);
  }
  std::sort(threads.begin(), threads.end());
  row.threads = static_cast<u32>(std::unique(threads.begin(), threads.end()) - threads.begin());
  u64 most = 0;
  for (const auto& [place, hits] : hits_of_place) {
    if (hits <= most) continue;
    most = hits;
    row.place = place;
  }
  return row;
}

void add_data(const TouchedData& data, const MemoryInput& input, MemoryProfile& memory) {
  memory.limits.page_count = data.page_count();
  memory.limits.forgotten_pages = data.forgotten_pages();
  for (const u32 page : busiest(data.page_count(), [&](u32 number) { return data.page(number); })) {
    memory.pages.push_back(data_row(data.page(page)));
  }
  memory.shared = shared_lines(data, input);
  memory.limits.line_count = data.line_count();
  memory.limits.forgotten_lines = data.forgotten_lines();
  for (const u32 line : busiest(data.line_count(), [&](u32 number) { return data.line_without_places(number); })) {
    memory.lines.push_back(line_row(data.line(line), input));
  }
}

void add_walks(const Aggregator& aggregator, const MemoryInput& input, MemoryProfile& memory) {
  std::map<u32, spe::AccessSum> sums;
  aggregator.for_each_access([&](const SiteAccesses& row) {
    if (row.sum.walks != 0) sums[input.code_place(row.site)];
  });
  aggregator.for_each_access([&](const SiteAccesses& row) {
    if (const auto found = sums.find(input.code_place(row.site)); found != sums.end()) found->second.add(row.sum);
  });
  for (const auto& [place, sum] : sums) {
    const double mean = sum.timed == 0 ? 0 : static_cast<double>(sum.translation) / static_cast<double>(sum.timed);
    memory.walks.push_back({.place = place, .hits = sum.hits, .walks = sum.walks, .translation = mean});
  }
  std::sort(memory.walks.begin(), memory.walks.end(), [](const WalkRow& a, const WalkRow& b) {
    return std::tie(b.walks, b.hits, a.place) < std::tie(a.walks, a.hits, b.place);
  });
}

void add_branches(const MemoryInput& input, MemoryProfile& memory) {
  for (const BranchSite& branch : input.places.branches()) {
    BranchRow row{.place = input.code_place(branch.site),
                  .conditional = branch.conditional,
                  .indirect = branch.indirect,
                  .hits = branch.hits,
                  .mispredicted = branch.mispredicted,
                  .not_taken = branch.not_taken,
                  .top_target = branch.top_target,
                  .top_target_hits = branch.top_target_hits,
                  .targets = branch.targets};
    if (branch.top_target != 0) row.top_target_place = input.code_place(SpePlaces::target_of(branch));
    memory.branches.push_back(row);
  }
}

}  // namespace

MemoryProfile make_memory_profile(const Aggregator& aggregator, const MemoryInput& input) {
  MemoryProfile memory;
  u32 symbol_count = 0;
  for (const CodePlace& place : input.code) symbol_count = std::max(symbol_count, place.symbol + 1);
  const std::vector<SourceAccesses> sources = aggregator.sources();
  AccessTables(aggregator, sources, input, symbol_count).take(memory);
  add_limits(sources, memory.limits);
  memory.limits.latencies_rounded = aggregator.latencies_rounded();
  add_data(aggregator.data(), input, memory);
  add_walks(aggregator, input, memory);
  add_branches(input, memory);
  const std::vector<spe::OwnerHits> owners = aggregator.owners();
  memory.limits.threads_known = std::any_of(owners.begin(), owners.end(),
                                            [](const spe::OwnerHits& owner) { return owner.thread != spe::kNoThread; });
  return memory;
}

}  // namespace wperf::operations
