// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/fitted_table.h"
#include "report/number_text.h"
#include "report/stack_report.h"
#include "report/table.h"
#include "report/text_width.h"

namespace wperf::report {
namespace {

using stacks::kNothing;
using stacks::SortKey;
using stacks::StackProfile;
using stacks::StackRow;

double share_of(u64 part, u64 whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view key_title(SortKey key) {
  static constexpr std::string_view kTitles[] = {"command",  "pid",    "tid",    "core",
                                                 "cpu type", "module", "symbol", "line"};
  return kTitles[static_cast<u32>(key)];
}

std::string number_cell(u32 number) {
  return number == kNothing ? "-" : std::to_string(static_cast<int>(number));
}

std::string key_cell(const StackProfile& profile, const StackRow& row, SortKey key) {
  switch (key) {
    case SortKey::comm:
      return profile.names[row.comm];
    case SortKey::pid:
      return number_cell(row.pid);
    case SortKey::tid:
      return number_cell(row.tid);
    case SortKey::core:
      return number_cell(row.core);
    case SortKey::core_kind:
      return std::string(profile.core_kinds.name(row.core_kind));
    case SortKey::module:
      return profile.modules[row.module].name;
    case SortKey::symbol: {
      const stacks::StackFunction& function = profile.functions[row.function];
      return (function.is_kernel ? "[k] " : "") + function.name;
    }
    case SortKey::line:
      return row.line == kNothing ? "-" : profile.lines[row.line];
  }
  return {};
}

void append_rows(std::string& out, const StackProfile& profile, u32 event, const std::vector<SortKey>& keys,
                 const StackOptions& options) {
  const stacks::StackRows made = stacks::make_rows(profile, event, keys, options.filter, options.children);
  const u64 whole = whole_period(profile, event, options);
  std::vector<FittedColumn> columns;
  if (options.children) columns.push_back({.title = "all %", .right = true});
  columns.push_back({.title = options.children ? "self %" : "%", .right = true});
  columns.push_back({.title = "samples", .right = true});
  for (const SortKey key : keys) {
    const bool is_number = key == SortKey::pid || key == SortKey::tid || key == SortKey::core;
    columns.push_back({.title = std::string(key_title(key)), .right = is_number, .may_be_cut = !is_number});
  }
  const usize shown = std::min<usize>(made.rows.size(), options.rows);
  std::vector<double> shares;
  for (usize i = 0; i < shown; ++i) {
    const StackRow& row = made.rows[i];
    usize column = 0;
    if (options.coloured) shares.push_back(share_of(row.self_period, whole));
    if (options.children) columns[column++].cells.push_back(fixed(share_of(row.all_period, whole), 2));
    columns[column++].cells.push_back(fixed(share_of(row.self_period, whole), 2));
    columns[column++].cells.push_back(with_commas(row.self_samples));
    for (const SortKey key : keys) columns[column++].cells.push_back(key_cell(profile, row, key));
  }
  const auto by_share = [&](std::string line, usize row) { return coloured_by_share(std::move(line), shares[row]); };
  append_fitted_table(out, columns, options.width, options.coloured ? ColourRow(by_share) : ColourRow());
  if (shown < made.rows.size()) {
    fmt::format_to(std::back_inserter(out), "  … and {} more rows: --sample-display-row {}\n",
                   with_commas(made.rows.size() - shown), made.rows.size());
  }
  if (!options.filter.is_empty()) {
    fmt::format_to(std::back_inserter(out), "  shown: {} of {} samples, {} %\n", with_commas(made.samples),
                   with_commas(profile.events[event].samples),
                   fixed(share_of(made.period, profile.events[event].period), 2));
  }
}

void append_module_notes(std::string& out, const StackProfile& profile) {
  // Only those that matter: a report of one page has no room for each file with a single sample.
  constexpr u64 kLeastPermille = 5;
  constexpr usize kMostNotes = 8;
  std::vector<u64> nameless(profile.modules.size());
  u64 all = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function =
        profile.functions[profile.places[profile.nodes[sample.node].place].function];
    all += sample.count;
    if (!function.is_known) nameless[function.module] += sample.count;
  }
  std::vector<u32> order;
  for (u32 i = 0; i < nameless.size(); ++i) {
    if (nameless[i] * 1000 >= all * kLeastPermille && nameless[i] != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return nameless[a] > nameless[b]; });
  for (usize i = 0; i < std::min(order.size(), kMostNotes); ++i) {
    const stacks::StackModule& module = profile.modules[order[i]];
    const std::string reason = module.reason.empty() ? "its files name nothing there" : module.reason;
    fmt::format_to(std::back_inserter(out), "note: {} % of samples without a function in {}: {}\n",
                   fixed(share_of(nameless[order[i]], all), 1), module.name, reason);
  }
}

// Where the names of each module come from, or why there are none.
void append_module_list(std::string& out, const StackProfile& profile) {
  std::vector<u64> samples(profile.modules.size()), named(profile.modules.size());
  u64 all = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function =
        profile.functions[profile.places[profile.nodes[sample.node].place].function];
    all += sample.count;
    samples[function.module] += sample.count;
    if (function.is_known) named[function.module] += sample.count;
  }
  std::vector<u32> order;
  for (u32 i = 0; i < samples.size(); ++i) {
    if (samples[i] != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return samples[a] > samples[b]; });
  Table table;
  table.columns = {{.title = "%", .align = Align::right},
                   {.title = "samples", .align = Align::right},
                   {.title = "named", .align = Align::right},
                   {.title = "module", .align = Align::left},
                   {.title = "names", .align = Align::left}};
  for (const u32 i : order) {
    const stacks::StackModule& module = profile.modules[i];
    table.rows.push_back({fixed(share_of(samples[i], all), 2), with_commas(samples[i]), with_commas(named[i]),
                          module.name,
                          !module.pdb_path.empty() ? "by " + module.pdb_path
                          : !module.reason.empty() ? module.reason
                          : module.path.empty()    ? "by the recording"
                                                   : "by the module itself"});
  }
  out += "\nmodules, and where their names come from\n";
  append_table(out, table);
}

// Microsoft has the PDBs of what is part of Windows.
void append_symbol_hint(std::string& out, const StackProfile& profile) {
  const auto lacks_pdb = [](const stacks::StackModule& module) {
    return module.pdb_path.empty() && module.reason.find("PDB") != std::string::npos;
  };
  if (!profile.trace.has_value() || std::none_of(profile.modules.begin(), profile.modules.end(), lacks_pdb)) return;
  out +=
      "note: --symbol-path \"srv*FOLDER*https://msdl.microsoft.com/download/symbols\" fetches the PDBs of Windows' own "
      "modules; -v lists all modules\n";
}

}  // namespace

std::vector<SortKey> sort_keys(const StackOptions& options) {
  return options.sort.empty() ? std::vector{SortKey::comm, SortKey::module, SortKey::symbol} : options.sort;
}

u64 whole_period(const StackProfile& profile, u32 event, const StackOptions& options) {
  if (!options.relative || options.filter.is_empty()) return profile.events[event].period;
  const stacks::ChosenSamples chosen(profile, options.filter);
  u64 period = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event == event && chosen.has(sample)) period += sample.period;
  }
  return period;
}

std::string damage_text(u64 places, u64 bytes, u64 records_about) {
  if (places == 0) return {};
  std::string out = fmt::format("the file is damaged: {} bytes in {} {} hold no records that can be read",
                                with_commas(bytes), with_commas(places), places == 1 ? "place" : "places");
  if (records_about != 0) out += fmt::format(", about {} are missing", with_commas(records_about));
  return out;
}

std::string stack_losses_text(const StackProfile& profile, std::string_view prefix) {
  const stacks::StackLosses& losses = profile.losses;
  std::string out;
  const auto say = [&](u64 count, std::string_view what) {
    if (count != 0) fmt::format_to(std::back_inserter(out), "{}{} {}\n", prefix, with_commas(count), what);
  };
  const std::string damage = damage_text(losses.damaged_places, losses.damaged_bytes, losses.damaged_records_about);
  if (!damage.empty()) out.append(prefix).append(damage) += '\n';
  say(losses.lost_records, "records were lost: the ring between the kernel and the recorder was full");
  say(losses.lost_samples, "samples were lost in the kernel");
  say(losses.throttled, "times the kernel paused an event because its samples took too long");
  say(losses.held_back, "samples were not taken, because the cores would have done little else");
  say(losses.filtered, "samples were left out: of the kernel without -k, or of other people's programs");
  say(losses.register_losses, "times counters were wiped, and samples from just before are missing");
  say(losses.of_unknown_event, "samples belong to no event of the file and are not shown");
  say(losses.damaged_records, "records are damaged and were left out");
  say(losses.merged_changes, "changes of mappings could not be told apart in time");
  say(losses.stacks_cut, "stacks end early: the copy of the stack was too short (--call-graph dwarf,SIZE copies more)");
  say(losses.stacks_continued, "stacks go on by frame pointers where the copy of the stack ended");
  say(losses.stacks_undelivered, "stacks end early: the kernel's record of their callers is missing");
  say(losses.stacks_without_table,
      "stacks end early: at code whose file has no call frame information, or is not here");
  say(losses.stacks_damaged, "stacks end early: registers, stack and call frame information do not fit together");
  say(losses.stacks_of_32_bits, "stacks of 32-bit programs were not unwound");
  say(losses.stacks_by_pointers,
      "stacks are by frame pointers alone: unwinding could not keep up (--freq with a lower rate helps)");
  say(losses.unknown_records, "records are of types that are not known here and were left out");
  return out;
}

std::string stack_text(const StackProfile& profile, const StackOptions& options) {
  std::string out = stack_losses_text(profile, "");
  if (profile.trace.has_value() && profile.trace->idle_samples != 0) {
    out += with_commas(profile.trace->idle_samples) + " samples of idle cores are left out; --idle counts them\n";
  }
  if (!out.empty()) out += '\n';
  bool any = false;
  for (u32 event = 0; event < profile.events.size(); ++event) {
    const stacks::StackEvent& one = profile.events[event];
    if (one.samples == 0 && !options.verbose) continue;
    if (any) out += '\n';
    any = true;
    fmt::format_to(std::back_inserter(out), "event {}: {} samples, {} counted\n", one.name, with_commas(one.samples),
                   with_commas(one.period));
    append_rows(out, profile, event, sort_keys(options), options);
    for (const std::vector<SortKey>& table : options.tables) {
      out += '\n';
      append_rows(out, profile, event, table, options);
    }
    append_call_trees(out, profile, event, options);
    append_code(out, profile, event, options);
  }
  if (!any) out += "no samples\n";
  fmt::format_to(std::back_inserter(out), "\n{:>20} from first to last sample\n", duration(profile.elapsed_seconds));
  std::string notes;
  if (!profile.note.empty()) notes += "note: " + profile.note + '\n';
  append_module_notes(notes, profile);
  append_symbol_hint(notes, profile);
  if ((options.children || options.tree || options.callers || options.callees) && !profile.has_callers) {
    notes += "note: this recording holds no stacks that can be read: `perf record -g` records them\n";
  }
  if (!notes.empty()) out += '\n' + notes;
  if (options.verbose) append_module_list(out, profile);
  return out;
}

}  // namespace wperf::report
