// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

using Cells = std::vector<std::string>;

// Overhead and count, which begin every row.
Cells share(u64 count, u64 samples) {
  return {text::fixed(percent(count, samples), 2), std::to_string(count)};
}

Table table_of_shares(std::initializer_list<Column> columns) {
  Table table{.columns = {{"overhead", Align::right, true}, {"count", Align::right, true}}, .rows = {}};
  table.columns.insert(table.columns.end(), columns);
  return table;
}

std::string module_name(const compat::CompatView& view, const compat::ModuleCount& row) {
  if (row.module != answers::kNone) return view.run.target.modules[row.module].name;
  return std::string(compat::bare_name({.kind = row.kind, .name = {}}));
}

void add_callers(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options,
                 Table& table) {
  const ShownRows shown = shown_rows(view, event, options);
  for (const compat::CallerCount& row : event.callers) {
    const bool is_shown = std::any_of(shown.rows.begin(), shown.rows.end(),
                                      [&](const compat::SymbolRow* other) { return other->symbol == row.symbol; });
    if (!is_shown) continue;
    Cells cells = share(row.count, event.samples);
    cells.push_back(compat::display_name(view, row.symbol));
    cells.push_back(row.caller == answers::kNone ? "[not known]" : compat::display_name(view, row.caller));
    table.rows.push_back(std::move(cells));
  }
}

void add_losses(const answers::CoreSamples& core, u64 lost, const char* cause, Table& table) {
  if (lost == 0) return;
  table.rows.push_back({std::to_string(core.core), text::with_commas(core.generated), text::with_commas(lost),
                        text::fixed(percent(lost, core.generated), 2), cause});
}

}  // namespace

void append_heading(std::string& out, std::string_view what) {
  fmt::format_to(std::back_inserter(out), "{:=<24} {} {:=<24}\n", "", what, "");
}

Table symbol_table(const compat::CompatView& view, const compat::SampledEvent& event, const ShownRows& shown) {
  Table table = table_of_shares({{"symbol"}});
  for (const compat::SymbolRow* row : shown.rows) {
    Cells cells = share(row->count, event.samples);
    cells.push_back(compat::display_name(view, row->symbol));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string_view breakdown_name(request::Breakdown breakdown) {
  static constexpr std::string_view kNames[] = {"process", "thread", "module", "core", "caller"};
  return kNames[static_cast<usize>(breakdown)];
}

Table breakdown_table(const compat::CompatView& view, const compat::SampledEvent& event, request::Breakdown breakdown,
                      const SampleOptions& options) {
  Table table = table_of_shares({});
  const auto add = [&](const auto& rows, auto cells_of) {
    for (usize i = 0; i < std::min<usize>(rows.size(), options.rows); ++i) {
      Cells cells = share(rows[i].count, event.samples);
      for (std::string& cell : cells_of(rows[i])) cells.push_back(std::move(cell));
      table.rows.push_back(std::move(cells));
    }
  };
  const Column process{"process", Align::right, true};
  switch (breakdown) {
    case request::Breakdown::process:
      table.columns.insert(table.columns.end(), {process, {"name"}});
      add(event.processes,
          [](const compat::ProcessCount& row) { return Cells{std::to_string(row.process), row.name}; });
      break;
    case request::Breakdown::thread:
      table.columns.insert(table.columns.end(), {process, {"thread", Align::right, true}});
      add(event.threads, [](const compat::ThreadCount& row) {
        return Cells{std::to_string(row.process), std::to_string(row.thread)};
      });
      break;
    case request::Breakdown::module:
      table.columns.push_back({"module"});
      add(event.modules, [&](const compat::ModuleCount& row) { return Cells{module_name(view, row)}; });
      break;
    case request::Breakdown::core:
      table.columns.push_back({"core", Align::right, true});
      add(event.cores, [](const compat::CoreCount& row) { return Cells{std::to_string(row.core)}; });
      break;
    case request::Breakdown::caller:
      table.columns.insert(table.columns.end(), {{"symbol"}, {"caller"}});
      add_callers(view, event, options, table);
      break;
  }
  return table;
}

Table loss_table(const compat::CompatView& view) {
  Table table{.columns = {{"core", Align::right, true},
                          {"generated", Align::right, true},
                          {"lost", Align::right, true},
                          {"percent", Align::right, true},
                          {"cause"}},
              .rows = {}};
  for (const answers::CoreSamples& core : view.run.cores) {
    add_losses(core, core.lost_ring_full, "came faster than they were collected; use a larger interval", table);
    add_losses(core, core.lost_filtered, "hit the kernel without -k, or programs of other users", table);
  }
  return table;
}

std::vector<SymbolNote> symbol_notes(const compat::CompatView& view) {
  u64 samples = 0;
  for (const compat::SampledEvent& event : view.events) samples += event.samples;
  std::vector<SymbolNote> notes;
  for (u32 i = 0; i < view.run.target.modules.size(); ++i) {
    const answers::SampleModule& module = view.run.target.modules[i];
    if (module.samples != 0 && !module.reason.empty()) {
      notes.push_back({.module = i, .percent = percent(module.samples, samples)});
    }
  }
  std::sort(notes.begin(), notes.end(), [](const SymbolNote& a, const SymbolNote& b) {
    return std::tie(b.percent, a.module) < std::tie(a.percent, b.module);
  });
  return notes;
}

}  // namespace wperf::report
