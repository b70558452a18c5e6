// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.2-9.7. wperf's additions come before the first section (losses) and after the last section (--by, notes),
// so the sections are unchanged for their readers.
#include <fmt/format.h>

#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/headline.h"
#include "views/report/sample_report.h"
#include "views/report/sample_tables.h"

namespace wperf::report {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr int kColumn = 32;  // width of module names and numbers with -v

void append_line_of(std::string& out, char c, usize count) {
  out.append(count, c);
  out += '\n';
}

void append_modules(std::string& out, const answers::SampleTarget& target) {
  append_line_of(out, '=', 32);
  for (const answers::SampleModule& module : target.modules) {
    fmt::format_to(Out(out), "{:>{}}{:>{}}{:10}{}\n", module.name, kColumn, text::hex(module.base, 20), kColumn, "",
                   module.path);
  }
  append_line_of(out, '=', 32);
  for (const answers::SampleModule& module : target.modules) {
    if (module.pdb_file.empty()) continue;
    fmt::format_to(Out(out), "{:>{}}{:10}{}\n", module.name, kColumn, "", module.path);
    for (const answers::ModuleSection& section : module.sections) {
      fmt::format_to(Out(out), "{:>{}}{:>{}}{:>{}}\n", section.name, kColumn, text::hex(section.rva, 20), kColumn,
                     text::hex(section.virtual_size, 4), kColumn);
    }
  }
}

// Appends what -v shows about the run, before the sections.
void append_trace(std::string& out, const compat::CompatView& view, const SampleOptions& options) {
  append_line_of(out, '=', 17);
  const u64 generated = view.run.samples_generated(), dropped = view.run.samples_dropped();
  fmt::format_to(Out(out), "sample generated: {}\nsample dropped  : {}\nsample drop rate: {}%\n", generated, dropped,
                 text::fixed(text::percent_of(dropped, generated), 2));
  if (view.run.exit_code.has_value()) {
    fmt::format_to(Out(out), "Sampling stopped, process pid={} exited with code {}\n", view.run.target.process,
                   text::hex(*view.run.exit_code, 4));
  }
  for (const compat::SampledEvent& event : view.events) {
    for (const compat::SymbolRow* row : shown_rows(view, event, options).rows) {
      if (view.symbols[row->symbol].kind != compat::SymbolKind::function) continue;
      fmt::format_to(Out(out), "symbol found: {}\n", compat::display_name(view, row->symbol));
    }
  }
}

void append_interruptions(std::string& out, const compat::CompatView& view) {
  u64 held_back = 0, throttled = 0, unreadable = 0, register_losses = 0;
  for (const answers::CoreSamples& core : view.run.cores) {
    held_back += core.held_back;
    throttled += core.throttled;
    unreadable += core.unreadable;
    register_losses += core.register_losses;
  }
  if (held_back != 0) {
    fmt::format_to(Out(out),
                   "held back: {} samples were not taken, because interrupts would have used up the cores; use a "
                   "larger interval\n\n",
                   text::with_commas(held_back));
  }
  if (throttled != 0) {
    fmt::format_to(Out(out),
                   "throttled: the kernel paused sampling {} times, because it took too much time; use a lower rate or "
                   "a larger interval\n\n",
                   text::with_commas(throttled));
  }
  if (unreadable != 0) {
    fmt::format_to(Out(out), "unreadable: {} kernel records were invalid\n\n", text::with_commas(unreadable));
  }
  if (register_losses != 0) {
    fmt::format_to(Out(out),
                   "gaps: counters were reset by something else {} and set up again; samples from just before are "
                   "missing; keep the machine from sleeping and end other profilers\n\n",
                   text::times(register_losses));
  }
}

void append_losses(std::string& out, const compat::CompatView& view) {
  append_interruptions(out, view);
  const Table table = loss_table(view);
  if (table.rows.empty()) return;
  const u64 generated = view.run.samples_generated(), dropped = view.run.samples_dropped();
  fmt::format_to(Out(out), "lost samples: {} of {} ({} %)\n", text::with_commas(dropped), text::with_commas(generated),
                 text::fixed(text::percent_of(dropped, generated), 2));
  append_table(out, table);
  out += '\n';
}

void append_row_details(std::string& out, const compat::CompatView& view, const compat::SymbolRow& row,
                        const SampleOptions& options) {
  const bool annotate = (options.annotate || options.disassemble) && is_annotated(view, row);
  if (!annotate && !options.verbose) return;
  fmt::format_to(Out(out), "{}\n", compat::display_name(view, row.symbol));
  if (options.verbose) {
    for (const compat::PcCount& pc : row.pcs) {
      fmt::format_to(Out(out), "pc:\t{}\t{:>8}\n", text::hex(pc.address, 20), pc.count);
    }
  }
  if (!annotate) return;
  if (row.lines.empty()) {
    out += "no source lines are known for it\n\n";
    return;
  }
  append_table(out, annotation_table(view, row, options));
  const Table inlined = options.verbose ? inlined_table(view, row) : Table{};
  if (!inlined.rows.empty()) append_table(out, inlined);
  out += '\n';
}

void append_event(std::string& out, const compat::CompatView& view, const compat::SampledEvent& event,
                  const SampleOptions& options) {
  append_heading(out, fmt::format("sample source: {}, top {} hot functions", event.name, options.rows));
  const ShownRows shown = shown_rows(view, event, options);
  for (const compat::SymbolRow* row : shown.rows) append_row_details(out, view, *row, options);
  append_table(out, table_of(hot_functions(view, event, shown), hot_function_columns));
  // A number that is too wide for the column gets a blank before it (contract 9.2 has 6 characters).
  fmt::format_to(Out(out), "{:>16}%{:>6}  top {} in total\n",
                 text::fixed(text::percent_of(shown.total_count, event.samples), 2),
                 fmt::format(" {}", shown.total_count), shown.total_rows);
}

void append_breakdowns(std::string& out, const compat::CompatView& view, const SampleOptions& options) {
  for (const request::Breakdown breakdown : options.by) {
    for (const compat::SampledEvent& event : view.events) {
      out += '\n';
      append_heading(out, fmt::format("sample source: {}, by {}", event.name, breakdown_name(breakdown)));
      append_table(out, breakdown_table(view, event, breakdown, options));
    }
  }
}

void append_notes(std::string& out, const compat::CompatView& view, const std::string& why_none) {
  std::string notes;
  if (!view.run.note.empty()) fmt::format_to(Out(notes), "note: {}\n", view.run.note);
  if (!has_samples(view)) {
    const bool has_interval = !view.events.empty() && view.events.front().interval != 0;
    const std::string interval =
        has_interval ? fmt::format("{} x {}", text::with_commas(view.events.front().interval), view.events.front().name)
                     : std::string();
    fmt::format_to(Out(notes), "note: no samples: {}\n", why_none.empty() ? too_short_text(interval) : why_none);
  }
  constexpr usize kMostNotes = 10;
  const std::vector<SymbolNote> modules = symbol_notes(view);
  for (usize i = 0; i < std::min(modules.size(), kMostNotes); ++i) {
    const answers::SampleModule& module = view.run.target.modules[modules[i].module];
    fmt::format_to(Out(notes), "note: {} % of samples in {}: {}\n", text::fixed(modules[i].percent, 1), module.name,
                   module.reason);
  }
  if (modules.size() > kMostNotes) {
    fmt::format_to(Out(notes), "note: and {} more modules without debug information\n", modules.size() - kMostNotes);
  }
  if (!notes.empty()) out += '\n' + notes;
}

}  // namespace

std::string sample_start_text(const answers::SampleTarget& target, const std::string& program, bool verbose,
                              std::string_view sampling_type) {
  std::string out;
  if (verbose) {
    fmt::format_to(Out(out), "sampling type: {}\n\n{} pid is {}\n", sampling_type, program, target.process);
    append_modules(out, target);
  }
  if (target.process == 0) {
    constexpr u32 kNotFound = 0x490;  // Windows' ERROR_NOT_FOUND
    fmt::format_to(Out(out), "failed to query base address of '{}' with 0x{:x}\n", target.image_name, kNotFound);
    return out;
  }
  fmt::format_to(Out(out), "base address of '{}': 0x{:x}, runtime delta: 0x{:x}\n", target.image_name,
                 target.base_address, target.runtime_delta);
  return out;
}

std::string sample_text(const compat::CompatView& view, const SampleOptions& options) {
  std::string out;
  if (options.verbose) append_trace(out, view, options);
  append_losses(out, view);
  for (usize i = 0; i < view.events.size(); ++i) {
    if (i != 0) out += '\n';
    append_event(out, view, view.events[i], options);
  }
  append_breakdowns(out, view, options);
  fmt::format_to(Out(out), "\n{:>20} seconds time elapsed\n", text::elapsed(view.run.elapsed_seconds));
  append_notes(out, view, options.why_none);
  return out;
}

}  // namespace wperf::report
