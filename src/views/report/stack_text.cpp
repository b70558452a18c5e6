// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "views/report/about_text.h"
#include "views/report/headline.h"
#include "views/report/stack_report.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

using stacks::kNothing;
using stacks::SortKey;
using stacks::StackProfile;
using stacks::StackRow;

std::string things_of(const stacks::StackEvent& event) {
  if (event.name == stacks::kAllTime) return "nanoseconds";
  return event.things.empty() ? "samples" : event.things;
}

// "1 sample", "3,731 samples"
std::string counted_things(const stacks::StackEvent& event) {
  std::string things = things_of(event);
  if (event.samples == 1 && things.ends_with('s')) things.pop_back();
  return text::with_commas(event.samples) + ' ' + things;
}

void append_rows(std::string& out, const StackProfile& profile, u32 event, const std::vector<SortKey>& keys,
                 const StackOptions& options) {
  const stacks::StackRows made = stacks::make_rows(profile, event, keys, options.filter, options.children);
  const u64 whole = whole_period(profile, event, options.filter, options.relative);
  const usize shown = std::min<usize>(made.rows.size(), options.rows);
  const StackColumns columns{profile, profile.events[event], keys, options, whole};
  const auto by_share = [&](std::string line, usize row) {
    return text::coloured_by_share(std::move(line), text::percent_of(made.rows[row].self_period, whole));
  };
  append_fitted_table(out, table_of(std::span(made.rows).first(shown), columns), options.width,
                      options.coloured ? ColourRow(by_share) : ColourRow());
  if (shown < made.rows.size()) {
    fmt::format_to(std::back_inserter(out), "  … and {} more rows: --sample-display-row {}\n",
                   text::with_commas(made.rows.size() - shown), made.rows.size());
  }
  if (!options.filter.is_empty()) {
    fmt::format_to(std::back_inserter(out), "  shown: {} of {}, {} %\n", text::with_commas(made.samples),
                   counted_things(profile.events[event]),
                   text::fixed(text::percent_of(made.period, profile.events[event].period), 2));
  }
}

// Lists where the names of each module come from, or why it has no names.
void append_module_list(std::string& out, const StackProfile& profile) {
  std::vector<u64> samples(profile.modules.size()), named(profile.modules.size());
  u64 all = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function = profile.functions[profile.function_of(sample.node)];
    all += sample.count;
    samples[function.module] += sample.count;
    if (function.has_name()) named[function.module] += sample.count;
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
    table.rows.push_back({text::fixed(text::percent_of(samples[i], all), 2), text::with_commas(samples[i]),
                          text::with_commas(named[i]), module.name,
                          !module.pdb_path.empty() ? "by " + module.pdb_path
                          : !module.reason.empty() ? module.reason
                          : module.path.empty()    ? "by the recording"
                                                   : "by the module itself"});
  }
  out += "\nmodules, and the source of their symbols\n";
  append_table(out, table);
}

// "no samples after 100 s: the recording is 6.275 s long"
std::string no_samples_in(const RecordingPart& part, const stacks::RecordingAbout* about) {
  std::string text = "no samples";
  if (part.from.has_value() && part.to.has_value()) {
    text += fmt::format(" from {:g} s to {:g} s", *part.from, *part.to);
  } else if (part.from.has_value()) {
    text += fmt::format(" after {:g} s", *part.from);
  } else if (part.to.has_value()) {
    text += fmt::format(" before {:g} s", *part.to);
  }
  if (part.most_threads != 0) {
    text += fmt::format(" while {}{} {} ran", part.fewest_threads,
                        part.most_threads == part.fewest_threads ? "" : fmt::format(" to {}", part.most_threads),
                        part.most_threads == 1 ? "thread" : "threads");
  }
  const bool knows_length = about != nullptr && about->elapsed_ns != 0;
  if (!knows_length || (!part.from.has_value() && !part.to.has_value())) return text + '\n';
  return text +
         fmt::format(": the recording is {} long\n", text::duration(static_cast<double>(about->elapsed_ns) / 1e9));
}

// The reason why there is nothing to show, if it is known.
std::string no_samples_text(const StackProfile& profile, const StackOptions& options) {
  const stacks::RecordingAbout* const about = options.about;
  const stacks::StackLosses& losses = profile.losses;
  if (!options.part.is_whole()) return no_samples_in(options.part, about);
  if ((losses.lost_records | losses.lost_samples | losses.filtered | losses.of_unknown_event) != 0 ||
      losses.damaged_places != 0)
    return "no samples: they are missing, as described above\n";
  if (about == nullptr || about->elapsed_ns == 0) return "no samples\n";
  constexpr std::string_view kWaysOut = "sample more often with `--freq 20000`, or count with `wperf stat`";
  if (about->has_ended) return fmt::format("no samples: the program ended before the first one; {}\n", kWaysOut);
  if (about->is_of_machine) return "no samples: the sampled events did not happen while the machine was recorded\n";
  if (!about->cpu_ns.has_value()) return fmt::format("no samples: {}\n", too_short_text());
  if (*about->cpu_ns == 0) return "no samples: the program did not run while it was recorded\n";
  return fmt::format("no samples: the program was too short for the first sample; {}\n", kWaysOut);
}

// The value for a row. A row without a value, such as the row that is used only for titles, gets an empty value.
template <class Thing>
Thing thing_at(const std::vector<Thing>& things, u32 number) {
  return number < things.size() ? things[number] : Thing{};
}

void add_key(Columns& to, const StackProfile& profile, const StackRow& row, SortKey key) {
  constexpr u32 kPlace = 4;
  const auto number = [&](std::string_view name, u32 value) {
    to.add({name, name, kPlace}, value, value == kNothing ? "-" : std::to_string(static_cast<int>(value)));
  };
  const auto name = [&](std::string_view title, std::string_view member, const std::string& value, std::string text) {
    to.add({.text = title, .key = member, .place = kPlace, .may_be_cut = true}, value, std::move(text));
  };
  switch (key) {
    case SortKey::comm:
    case SortKey::process: {
      const std::string comm = thing_at(profile.names, row.comm);
      return name("command", "comm", comm, comm);
    }
    case SortKey::pid:
      return number("pid", row.pid);
    case SortKey::tid:
      return number("tid", row.tid);
    case SortKey::core:
      return number("core", row.core);
    case SortKey::core_kind: {
      const std::string kind(profile.core_kinds.name(row.core_kind));
      return name("cpu type", "cputype", kind, kind);
    }
    case SortKey::module: {
      const std::string module = thing_at(profile.modules, row.module).name;
      // otherwise the symbol includes the module
      return name("module", row.function == kNothing ? "module" : "", module, module);
    }
    case SortKey::symbol: {
      const stacks::StackFunction function = thing_at(profile.functions, row.function);
      name("symbol", "symbol", function.name, (function.is_kernel ? "[k] " : "") + function.name);
      to.member("module", thing_at(profile.modules, function.module).name);
      return to.member("kernel", function.is_kernel);
    }
    case SortKey::line: {
      const std::string line = thing_at(profile.lines, row.line);
      return name("line", "line", line, row.line == kNothing ? "-" : line);
    }
  }
}

}  // namespace

void StackColumns::operator()(Columns& to, const StackRow& row) const {
  const auto percent = [&](const Title& title, u64 period) {
    const double share = text::percent_of(period, whole);
    to.add(title, Decimals{share, 4}, text::fixed(share, 2));
  };
  for (const SortKey key : keys) add_key(to, profile, row, key);
  to.count({things_of(event), "samples", 3}, row.self_samples);
  to.member("period", row.self_period);
  percent({options.children ? "self %" : "%", "percent", 2}, row.self_period);
  if (!options.children) return;
  to.member("all_samples", row.all_samples);
  to.member("all_period", row.all_period);
  percent({"all %", "all_percent", 1}, row.all_period);
}

std::vector<SortKey> sort_keys(const StackOptions& options) {
  return options.sort.empty() ? std::vector{SortKey::comm, SortKey::module, SortKey::symbol} : options.sort;
}

stacks::StackFilter filter_of_callers(const StackOptions& options) {
  stacks::StackFilter filter = options.filter;
  filter.in_callers = false;
  return filter;
}

stacks::StackFilter filter_of_callees(const StackOptions& options) {
  stacks::StackFilter filter = options.filter;
  filter.in_callers = true;
  return filter;
}

u64 whole_period(const StackProfile& profile, u32 event, const stacks::StackFilter& filter, bool relative) {
  if (!relative || filter.is_empty()) return profile.events[event].period;
  const stacks::ChosenSamples chosen(profile, filter);
  u64 period = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event == event && chosen.has(sample)) period += sample.period;
  }
  return period;
}

std::string stack_text(const StackProfile& profile, const StackOptions& options) {
  std::string out, notes;
  for (const StackLoss& loss : stack_losses(profile)) {
    if (loss.is_minor) {
      notes += "note: " + loss.text + '\n';
    } else {
      out += loss.text + '\n';
    }
  }
  const Headline head = headline(profile, options.about, options.filter, options.relative, !options.part.is_whole());
  for (const std::string* line : {&head.time, &head.waited, &head.python, &head.hottest}) {
    if (line->empty()) continue;
    append_line_within(out, *line, options.width);
  }
  if (profile.trace.has_value() && profile.trace->is_without_idle && profile.trace->idle_samples != 0) {
    out += fmt::format(
        "{} of idle cores {} left out; --idle includes {}\n",
        profile.trace->idle_samples == 1 ? "1 sample" : text::with_commas(profile.trace->idle_samples) + " samples",
        profile.trace->idle_samples == 1 ? "is" : "are", profile.trace->idle_samples == 1 ? "it" : "them");
  }
  if (!out.empty()) out += '\n';
  bool any = false;
  for (u32 event = 0; event < profile.events.size(); ++event) {
    const stacks::StackEvent& one = profile.events[event];
    if (one.samples == 0 && !options.verbose) continue;
    if (any) out += '\n';
    any = true;
    fmt::format_to(std::back_inserter(out), "event {}: {}, {}\n", one.name, counted_things(one),
                   weight_text(profile, event));
    append_rows(out, profile, event, sort_keys(options), options);
    for (const std::vector<SortKey>& table : options.tables) {
      out += '\n';
      append_rows(out, profile, event, table, options);
    }
    append_call_trees(out, profile, event, options);
    append_code(out, profile, event, options);
  }
  if (!any) out += no_samples_text(profile, options);
  if (!profile.note.empty()) notes += "note: " + profile.note + '\n';
  for (const std::string& line : name_notes(profile)) notes += "note: " + line + '\n';
  const stacks::StackFilter asked = options.callees ? filter_of_callees(options) : options.filter;
  for (const std::string& line : filter_notes(profile, asked)) notes += "note: " + line + '\n';
  if ((options.children || options.tree || options.callers || options.callees) && !profile.has_callers) {
    notes += "note: this recording has no readable stacks; record them with `perf record -g`\n";
  }
  const std::string made = options.about != nullptr ? made_text(*options.about) : std::string();
  if (!made.empty()) notes += fmt::format("recorded {}\n", made);
  if (!notes.empty()) out += '\n' + notes;
  if (options.verbose) append_module_list(out, profile);
  return out;
}

}  // namespace wperf::report
