// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/spe_tables.h"

#include <fmt/format.h>

#include "ground/text/base_name.h"
#include "ground/text/number_text.h"
#include "views/report/sample_tables.h"

namespace wperf::report {
namespace {

using Cells = std::vector<std::string>;
using operations::AccessCounts;
using operations::MemoryProfile;
using operations::SpeProfile;

Column number(std::string title) {
  return {std::move(title), Align::right, true};
}

void append_cells(Cells& cells, Cells more) {
  for (std::string& cell : more) cells.push_back(std::move(cell));
}

void add_columns(Table& table, std::initializer_list<const char*> numbers) {
  for (const char* const title : numbers) table.columns.push_back(number(title));
}

// Adds three columns for a place of code.
void add_place_columns(Table& table) {
  for (const char* const title : {"symbol", "line", "address"}) table.columns.push_back({title});
}

std::string line_text(const SpeProfile& profile, u32 file, u32 line) {
  if (file == answers::kNone) return {};
  return fmt::format("{}:{}", text::base_name(profile.samples.texts[file]), line);
}

std::string address_text(u64 address) {
  return fmt::format("0x{:x}", address);
}

Cells place_cells(const SpeProfile& profile, u32 index) {
  if (index == answers::kNone) return {"", "", ""};
  const operations::CodePlace& place = profile.places[index];
  return {operations::display_name(profile, place.symbol), line_text(profile, place.file, place.line),
          index == 0 ? "" : address_text(place.address)};  // the first place stands for all other processes
}

bool passes(const SpeProfile& profile, u32 symbol, const SpeOptions& options) {
  return !options.samples.symbol || options.samples.symbol(profile.samples.functions[symbol].name);
}

bool place_passes(const SpeProfile& profile, u32 place, const SpeOptions& options) {
  return !options.samples.symbol || (place != answers::kNone && passes(profile, profile.places[place].symbol, options));
}

std::string source_name(const MemoryProfile& memory, u32 source) {
  return source == answers::kNone ? std::string() : memory.sources[source].name;
}

// Adds the columns that functions and lines have in common.
void add_access_columns(Table& table) {
  add_columns(table, {"of cycles", "hits", "loads", "stores", "mean", "p50", "p90", "p99", "longest", "issue",
                      "translation", "refills", "walks"});
  table.columns.push_back({"slowest source"});
}

Cells access_cells(const MemoryProfile& memory, const AccessCounts& counts, u32 slowest_source) {
  return {text::fixed(text::percent_of(counts.latency_sum, memory.all.latency_sum), 2),
          std::to_string(counts.hits),
          std::to_string(counts.loads),
          std::to_string(counts.stores),
          text::fixed(counts.latency.mean, 1),
          std::to_string(counts.latency.p50),
          std::to_string(counts.latency.p90),
          std::to_string(counts.latency.p99),
          std::to_string(counts.latency.longest),
          text::fixed(counts.issue, 1),
          text::fixed(counts.translation, 1),
          std::to_string(counts.refills),
          std::to_string(counts.walks),
          source_name(memory, slowest_source)};
}

std::string range_text(const operations::LatencyBucket& bucket) {
  return bucket.first == bucket.last ? std::to_string(bucket.first) : fmt::format("{}-{}", bucket.first, bucket.last);
}

u64 hits_in(const std::vector<operations::LatencyBucket>& histogram, u32 first) {
  for (const operations::LatencyBucket& bucket : histogram) {
    if (bucket.first == first) return bucket.hits;
  }
  return 0;
}

const char* branch_kind(const operations::BranchRow& row) {
  if (row.conditional) return row.indirect ? "conditional indirect" : "conditional";
  return row.indirect ? "indirect" : "direct";
}

using Notes = std::vector<std::string>;

void add_population(const operations::SpePopulation& population, Notes& notes) {
  if (population.operations == 0 || population.chosen == 0) return;
  notes.push_back(
      fmt::format("{1} of {0} operations were selected, one in {2}", text::with_commas(population.operations),
                  text::with_commas(population.chosen),
                  text::fixed(static_cast<double>(population.operations) / static_cast<double>(population.chosen), 1)));
  if (population.collided != 0) {
    notes.push_back(
        fmt::format("{} % of the selections were dropped ({}) because the previous operation was not finished, so code "
                    "next to slow operations has too few samples",
                    text::fixed(text::percent_of(population.collided, population.chosen + population.collided), 2),
                    text::with_commas(population.collided)));
  }
  if (population.recorded < population.chosen) {
    notes.push_back(
        fmt::format("{} % of the selected operations did not pass the filters",
                    text::fixed(text::percent_of(population.chosen - population.recorded, population.chosen), 2)));
  }
}

void add_core(const operations::SpeCore& core, Notes& notes) {
  const auto note = [&](std::string text) { notes.push_back(fmt::format("core {}: {}", core.core, text)); };
  if (core.faulted) note("its buffer could no longer be written, so its sampling ended early");
  if (core.full != 0) {
    note(fmt::format("its buffer was full {} times, so it was not sampled for {} ms", text::with_commas(core.full),
                     text::fixed(static_cast<double>(core.stopped_ns) / 1e6, 3)));
  }
  if (core.data_losses != 0)
    note(fmt::format("it reports {} times that records were lost", text::with_commas(core.data_losses)));
  if (core.damaged + core.bad_bytes + core.unfinished != 0) {
    note(fmt::format("{} bytes were not packets, {} records are damaged, {} unfinished",
                     text::with_commas(core.bad_bytes), text::with_commas(core.damaged),
                     text::with_commas(core.unfinished)));
  }
}

void add_limits(const operations::MemoryProfile& memory, Notes& notes) {
  const operations::MemoryLimits& limits = memory.limits;
  if (memory.all.hits == 0) {
    notes.push_back("no load or store was sampled");
    return;
  }
  if (limits.stores_without_source != 0) {
    notes.push_back(
        limits.stores_without_source == memory.all.stores
            ? "this core does not record where the data of stores comes from"
            : fmt::format("{} stores have no data source", text::with_commas(limits.stores_without_source)));
  }
  if (limits.loads_without_source != 0) {
    notes.push_back(limits.loads_without_source == memory.all.loads
                        ? "this core does not record where the data of loads comes from"
                        : fmt::format("{} loads have no data source", text::with_commas(limits.loads_without_source)));
  }
  if (limits.unnamed_sources != 0) {
    std::string cores;
    for (const std::string& core : limits.nameless_cores) cores += (cores.empty() ? "" : ", ") + core;
    notes.push_back(fmt::format("{} data sources are numbers whose meaning is not published for {}",
                                text::with_commas(limits.unnamed_sources), cores.empty() ? "this core" : cores));
  }
  if (limits.saturated != 0) {
    notes.push_back(
        fmt::format("{} latencies are 4095 cycles, the maximum of 12-bit counters: they may have been longer",
                    text::with_commas(limits.saturated)));
  }
  if (limits.latencies_rounded) {
    notes.push_back(
        "latencies differ too much to be stored individually: the percentiles of functions and lines are rounded up, "
        "by at most 6.25 %");
  }
  if (!limits.threads_known) {
    notes.push_back("records do not distinguish threads, so false sharing cannot be detected");
  }
  if (limits.forgotten_lines + limits.forgotten_pages != 0) {
    notes.push_back(
        fmt::format("{} hits of rare cache lines and {} of rare pages are missing from the tables by address",
                    text::with_commas(limits.forgotten_lines), text::with_commas(limits.forgotten_pages)));
  }
}

}  // namespace

Table source_table(const MemoryProfile& memory) {
  Table table;
  table.columns.push_back({"source"});
  add_columns(table, {"of hits", "of cycles", "hits", "loads", "stores", "mean", "p50", "p90", "p99", "longest"});
  table.columns.push_back({"meaning"});
  for (const operations::SourceRow& row : memory.sources) {
    const AccessCounts& counts = row.counts;
    table.rows.push_back({row.name, text::fixed(text::percent_of(counts.hits, memory.all.hits), 2),
                          text::fixed(text::percent_of(counts.latency_sum, memory.all.latency_sum), 2),
                          std::to_string(counts.hits), std::to_string(counts.loads), std::to_string(counts.stores),
                          text::fixed(counts.latency.mean, 1), std::to_string(counts.latency.p50),
                          std::to_string(counts.latency.p90), std::to_string(counts.latency.p99),
                          std::to_string(counts.latency.longest), row.title});
  }
  return table;
}

Table latency_table(const MemoryProfile& memory) {
  Table table;
  table.columns = {{"cycles", Align::right}, number("of hits"), number("hits")};
  for (const operations::SourceRow& row : memory.sources) table.columns.push_back(number(row.name));
  for (const operations::LatencyBucket& bucket : memory.histogram) {
    Cells cells = {range_text(bucket), text::fixed(text::percent_of(bucket.hits, memory.all.latency.hits), 2),
                   std::to_string(bucket.hits)};
    for (const operations::SourceRow& row : memory.sources) {
      cells.push_back(std::to_string(hits_in(row.histogram, bucket.first)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table latency_rows(const MemoryProfile& memory) {
  Table table;
  table.columns = {{"source"}, number("first"), number("last"), number("hits")};
  for (const operations::SourceRow& row : memory.sources) {
    for (const operations::LatencyBucket& bucket : row.histogram) {
      table.rows.push_back(
          {row.name, std::to_string(bucket.first), std::to_string(bucket.last), std::to_string(bucket.hits)});
    }
  }
  return table;
}

Table access_symbol_table(const SpeProfile& profile, const SpeOptions& options) {
  Table table;
  add_access_columns(table);
  table.columns.push_back({"symbol"});
  for (const operations::AccessSymbolRow& row : profile.memory->functions) {
    if (table.rows.size() >= options.memory_rows) break;
    if (!passes(profile, row.symbol, options)) continue;
    Cells cells = access_cells(*profile.memory, row.counts, row.slowest_source);
    cells.push_back(operations::display_name(profile, row.symbol));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table access_line_table(const SpeProfile& profile, const SpeOptions& options) {
  Table table;
  add_access_columns(table);
  add_place_columns(table);
  for (const operations::AccessLineRow& row : profile.memory->code_lines) {
    if (table.rows.size() >= options.memory_rows) break;
    if (!passes(profile, row.symbol, options)) continue;
    Cells cells = access_cells(*profile.memory, row.counts, row.slowest_source);
    append_cells(cells, {operations::display_name(profile, row.symbol), line_text(profile, row.file, row.line),
                         row.address == 0 ? "" : address_text(row.address)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table page_table(const MemoryProfile& memory, const SpeOptions& options) {
  Table table;
  table.columns = {{"page"}};
  add_columns(table, {"of hits", "hits", "stores", "refills", "walks", "peer", "mean"});
  for (const operations::DataRow& row : memory.pages) {
    if (table.rows.size() >= options.memory_rows) break;
    table.rows.push_back({address_text(row.address), text::fixed(text::percent_of(row.hits, memory.all.hits), 2),
                          std::to_string(row.hits), std::to_string(row.stores), std::to_string(row.refills),
                          std::to_string(row.walks), std::to_string(row.peer), text::fixed(row.mean_latency, 1)});
  }
  return table;
}

Table data_line_table(const SpeProfile& profile, const SpeOptions& options) {
  Table table;
  table.columns = {{"cache line"}};
  add_columns(table, {"of hits", "hits", "stores", "refills", "walks", "peer", "mean", "threads"});
  add_place_columns(table);
  for (const operations::DataRow& row : profile.memory->lines) {
    if (table.rows.size() >= options.memory_rows) break;
    Cells cells = {address_text(row.address),   text::fixed(text::percent_of(row.hits, profile.memory->all.hits), 2),
                   std::to_string(row.hits),    std::to_string(row.stores),
                   std::to_string(row.refills), std::to_string(row.walks),
                   std::to_string(row.peer),    text::fixed(row.mean_latency, 1),
                   std::to_string(row.threads)};
    append_cells(cells, place_cells(profile, row.place));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table walk_table(const SpeProfile& profile, const SpeOptions& options) {
  Table table;
  add_columns(table, {"walks", "hits", "walk rate", "translation"});
  add_place_columns(table);
  for (const operations::WalkRow& row : profile.memory->walks) {
    if (table.rows.size() >= options.memory_rows) break;
    if (!place_passes(profile, row.place, options)) continue;
    Cells cells = {std::to_string(row.walks), std::to_string(row.hits),
                   text::fixed(text::percent_of(row.walks, row.hits), 2), text::fixed(row.translation, 1)};
    append_cells(cells, place_cells(profile, row.place));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table branch_table(const SpeProfile& profile, const SpeOptions& options) {
  Table table;
  add_columns(table, {"mispredicted", "hits", "rate", "not taken"});
  table.columns.push_back({"kind"});
  add_place_columns(table);
  add_columns(table, {"targets", "top rate"});
  table.columns.push_back({"top target"});
  for (const operations::BranchRow& row : profile.memory->branches) {
    if (table.rows.size() >= options.memory_rows || row.mispredicted == 0) break;
    if (!place_passes(profile, row.place, options)) continue;
    Cells cells = {std::to_string(row.mispredicted), std::to_string(row.hits),
                   text::fixed(text::percent_of(row.mispredicted, row.hits), 2),
                   text::fixed(text::percent_of(row.not_taken, row.hits), 2), branch_kind(row)};
    append_cells(cells, place_cells(profile, row.place));
    std::string target = row.top_target == 0 ? "" : address_text(row.top_target);
    if (row.top_target_place != answers::kNone) {
      const Cells place = place_cells(profile, row.top_target_place);
      target += ' ' + (place[1].empty() ? place[0] : place[0] + ' ' + place[1]);
    }
    append_cells(cells, {std::to_string(row.targets), text::fixed(text::percent_of(row.top_target_hits, row.hits), 2),
                         std::move(target)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table sharing_table(const SpeProfile& profile, const operations::SharedLine& line) {
  Table table;
  add_columns(table, {"offset", "thread", "hits", "stores", "refills", "peer", "mean"});
  add_place_columns(table);
  for (const operations::SharingPlace& row : line.places) {
    Cells cells = {std::to_string(row.offset),      std::to_string(row.thread),  std::to_string(row.hits),
                   std::to_string(row.stores),      std::to_string(row.refills), std::to_string(row.peer),
                   text::fixed(row.mean_latency, 1)};
    append_cells(cells, place_cells(profile, row.place));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Notes spe_notes(const operations::SpeProfile& profile, const SpeOptions& options) {
  Notes notes;
  for (const operations::SpeCore& core : profile.cores) add_core(core, notes);
  if (profile.forgotten_mappings != 0) {
    notes.push_back(fmt::format("{} mappings of forked processes were too many to store; records in them have no names",
                                text::with_commas(profile.forgotten_mappings)));
  }
  if (profile.population.has_value()) add_population(*profile.population, notes);
  if (!profile.memory.has_value()) return notes;
  add_limits(*profile.memory, notes);
  if (options.memory && options.samples.symbol)
    notes.emplace_back(
        "-s filters the memory tables by function and by line, and those of page table walks and branches; the other "
        "tables show all functions");
  return notes;
}

}  // namespace wperf::report
