// SPDX-License-Identifier: BSD-3-Clause
#include "profile/spe_memory.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "profile/spe_access_sums.h"

namespace wperf::profile {
namespace {

using decode::spe::AccessHits;
using decode::spe::DataSource;
using decode::spe::LatencyHits;
using decode::spe::SourceCode;
using decode::spe::Tally;

double mean_latency(const decode::spe::DataCounts& counts) {
  return counts.timed == 0 ? 0 : static_cast<double>(counts.latency) / static_cast<double>(counts.timed);
}

// Data sources as rows, numbered in the order they are shown.
class SourceTable {
 public:
  explicit SourceTable(const std::vector<AccessHits>& rows) {
    std::map<Key, u32> order;
    for (const AccessHits& row : rows) order.try_emplace(key_of(row.store, row.source), 0);
    for (auto& [key, number] : order) {
      number = static_cast<u32>(rows_.size());
      rows_.push_back({.name = std::get<2>(key), .given = std::get<0>(key) <= kNumbered});
    }
    for (const AccessHits& row : rows) {
      const u32 number = order.at(key_of(row.store, row.source));
      number_of_[code_of(row.store, row.source)] = number;
      if (const DataSource* source = row.source.source(); source != nullptr) rows_[number].title = source->text;
    }
  }
  u32 number_of(bool store, SourceCode source) const { return number_of_.at(code_of(store, source)); }
  u32 size() const { return static_cast<u32>(rows_.size()); }
  std::vector<SourceRow> take() { return std::move(rows_); }

 private:
  static constexpr u32 kNumbered = static_cast<u32>(decode::spe::DataLevel::unknown);
  using Key = std::tuple<u32, u64, std::string>;  // distance, number, name

  // A name is one row, whichever core family it is from.
  static Key key_of(bool store, SourceCode source) {
    if (!source.given()) return {kNumbered + 1, store ? 1 : 0, store ? "stores, no source" : "loads, no source"};
    std::string name = decode::spe::data_source_name(source.family(), source.value());
    const DataSource* const known = source.source();
    if (known == nullptr) return {kNumbered, source.value(), std::move(name)};
    return {static_cast<u32>(known->level), known->modified ? 1 : 0, std::move(name)};
  }
  static u64 code_of(bool store, SourceCode source) {
    return source.given() ? source.code() : u64{1} << 32 | (store ? 1 : 0);
  }

  std::vector<SourceRow> rows_;
  std::map<u64, u32> number_of_;
};

// Code places by source line; where there is none, each instruction is a line of its own.
class CodeLines {
 public:
  explicit CodeLines(const std::vector<CodePlace>& code) {
    std::map<std::tuple<u32, u32, u32, u64>, u32> numbers;
    for (const CodePlace& place : code) {
      const bool known = place.file != kNone;
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
  std::vector<u32> line_of_;  // by index of the code place
};

// For each group the member that has most of its cycles.
class Heaviest {
 public:
  explicit Heaviest(u32 groups) : of_group_(groups, kNone), cycles_(groups) {}
  void add(u32 group, u32 member, u64 cycles) { sums_.at(group, u64{member} + 1) += cycles; }
  std::vector<u32> take() {
    sums_.for_each([&](const auto& slot) {
      const u32 member = static_cast<u32>(slot.second - 1);
      u32& heaviest = of_group_[slot.first];
      u64& cycles = cycles_[slot.first];
      // Of equals the first: the table has no order.
      if (heaviest != kNone && std::tuple(cycles, member) > std::tuple(slot.value, heaviest)) return;
      heaviest = member;
      cycles = slot.value;
    });
    return std::move(of_group_);
  }

 private:
  decode::spe::FlatTable<u64> sums_;
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
void keep_used_most_cycles_first(std::vector<Row>& rows) {
  std::erase_if(rows, [](const Row& row) { return row.counts.hits == 0; });
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(b.counts.latency_sum, b.counts.hits, identity_of(a)) <
           std::tuple(a.counts.latency_sum, a.counts.hits, identity_of(b));
  });
}

// The tables of loads and stores: sums by source, function and line, made in one pass over the tally's rows.
class AccessTables {
 public:
  AccessTables(const std::vector<AccessHits>& rows, const MemoryInput& input, u32 symbol_count)
      : input_(input),
        sources_(rows),
        lines_(input.code),
        histograms_(sources_.size()),
        by_source_(sources_.size()),
        by_symbol_(symbol_count),
        by_line_(lines_.size()),
        source_of_symbol_(symbol_count),
        source_of_line_(lines_.size()),
        place_of_line_(lines_.size()) {
    for (const AccessHits& row : rows) add(row);
  }

  void add(const LatencyHits& row) {
    const u32 place = input_.code_place(row.site), source = sources_.number_of(row.store, row.source);
    all_.add(0, row);
    by_source_.add(source, row);
    by_symbol_.add(input_.code[place].symbol, row);
    by_line_.add(lines_.line_of(place), row);
    histogram_.add(row.bucket, row.hits);
    histograms_[source].add(row.bucket, row.hits);
  }

  void take(MemoryProfile& memory) {
    memory.all = all_.take().front();
    memory.histogram = histogram_.take();
    memory.sources = sources_.take();
    const std::vector<AccessCounts> of_source = by_source_.take();
    for (usize i = 0; i < of_source.size(); ++i) {
      memory.sources[i].counts = of_source[i];
      memory.sources[i].histogram = histograms_[i].take();
    }
    take_functions(memory.functions);
    take_lines(memory.code_lines);
  }

 private:
  void add(const AccessHits& row) {
    const u32 place = input_.code_place(row.site), symbol = input_.code[place].symbol, line = lines_.line_of(place);
    const u32 source = sources_.number_of(row.store, row.source);
    all_.add(0, row);
    by_source_.add(source, row);
    by_symbol_.add(symbol, row);
    by_line_.add(line, row);
    source_of_symbol_.add(symbol, source, row.latency);
    source_of_line_.add(line, source, row.latency);
    place_of_line_.add(line, place, row.latency);
  }

  void take_functions(std::vector<AccessSymbolRow>& rows) {
    const std::vector<AccessCounts> sums = by_symbol_.take();
    const std::vector<u32> slowest = source_of_symbol_.take();
    for (u32 i = 0; i < sums.size(); ++i) {
      rows.push_back({.symbol = i, .counts = sums[i], .slowest_source = slowest[i]});
    }
    keep_used_most_cycles_first(rows);
  }

  void take_lines(std::vector<AccessLineRow>& rows) {
    rows = lines_.take();
    const std::vector<AccessCounts> sums = by_line_.take();
    const std::vector<u32> slowest = source_of_line_.take(), places = place_of_line_.take();
    for (usize i = 0; i < sums.size(); ++i) {
      rows[i].counts = sums[i];
      rows[i].slowest_source = slowest[i];
      if (places[i] != kNone) rows[i].address = input_.code[places[i]].address;
    }
    keep_used_most_cycles_first(rows);
  }

  const MemoryInput& input_;
  SourceTable sources_;
  CodeLines lines_;
  Histogram histogram_;
  std::vector<Histogram> histograms_;
  AccessSums all_{1}, by_source_, by_symbol_, by_line_;
  Heaviest source_of_symbol_, source_of_line_, place_of_line_;
};

void add_limits(const std::vector<AccessHits>& rows, MemoryLimits& limits) {
  for (const AccessHits& row : rows) {
    limits.saturated += row.saturated;
    if (!row.source.given()) {
      (row.store ? limits.stores_without_source : limits.loads_without_source) += row.hits;
    } else if (row.source.source() == nullptr) {
      limits.unnamed_sources += row.hits;
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

// The rows with most hits, sorted.
template <class Row>
void keep_busiest(std::vector<Row>& rows) {
  const auto busier = [](const Row& a, const Row& b) {
    return std::tie(b.counts.hits, a.address, a.other_process) < std::tie(a.counts.hits, b.address, b.other_process);
  };
  const usize kept = std::min(rows.size(), kMostDataRows);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end(), busier);
  rows.resize(kept);
}

void add_data(const Tally& tally, const MemoryInput& input, MemoryProfile& memory) {
  std::vector<decode::spe::PageHits> pages = tally.pages();
  memory.limits.page_count = pages.size();
  memory.limits.forgotten_pages = tally.forgotten_pages();
  keep_busiest(pages);
  for (const decode::spe::PageHits& page : pages) memory.pages.push_back(data_row(page));

  std::vector<decode::spe::LineHits> lines = tally.lines();
  memory.shared = shared_lines(lines, input);
  memory.limits.line_count = lines.size();
  memory.limits.forgotten_lines = tally.forgotten_lines();
  keep_busiest(lines);
  for (const decode::spe::LineHits& line : lines) {
    DataRow row = data_row(line);
    std::map<u32, u64> hits_of_place;
    std::vector<u32> threads;
    for (const decode::spe::LinePlace& place : line.places) {
      hits_of_place[input.code_place(place.site)] += place.counts.hits;
      if (place.thread != decode::spe::kNoThread) threads.push_back(place.thread);
    }
    std::sort(threads.begin(), threads.end());
    row.threads = static_cast<u32>(std::unique(threads.begin(), threads.end()) - threads.begin());
    u64 most = 0;
    for (const auto& [place, hits] : hits_of_place) {
      if (hits <= most) continue;
      most = hits;
      row.place = place;
    }
    memory.lines.push_back(row);
  }
}

void add_walks(const std::vector<AccessHits>& rows, const MemoryInput& input, MemoryProfile& memory) {
  struct Sum {
    u64 hits = 0, walks = 0, translation = 0, timed = 0;
  };
  std::map<u32, Sum> sums;
  for (const AccessHits& row : rows) {
    Sum& sum = sums[input.code_place(row.site)];
    sum.hits += row.hits;
    sum.walks += row.walks;
    sum.translation += row.translation;
    sum.timed += row.timed;
  }
  for (const auto& [place, sum] : sums) {
    if (sum.walks == 0) continue;
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

MemoryProfile make_memory_profile(const Tally& tally, const MemoryInput& input) {
  MemoryProfile memory;
  u32 symbol_count = 0;
  for (const CodePlace& place : input.code) symbol_count = std::max(symbol_count, place.symbol + 1);
  const std::vector<AccessHits> rows = tally.accesses();
  AccessTables tables(rows, input, symbol_count);
  for (const LatencyHits& row : tally.latencies()) tables.add(row);
  tables.take(memory);
  add_limits(rows, memory.limits);
  add_data(tally, input, memory);
  add_walks(rows, input, memory);
  add_branches(input, memory);
  const std::vector<decode::spe::OwnerHits> owners = tally.owners();
  memory.limits.threads_known = std::any_of(owners.begin(), owners.end(), [](const decode::spe::OwnerHits& owner) {
    return owner.thread != decode::spe::kNoThread;
  });
  return memory;
}

}  // namespace wperf::profile
