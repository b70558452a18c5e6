// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/compare/gate.h"
#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "views/report/diff_report.h"

namespace wperf::report {
namespace {

using compare::Comparison;
using compare::EventChange;
using compare::TotalChange;
using compare::UnitChange;
using compare::UnitKind;

// Colours rows that grew red, and rows that shrank green. `ratios`: by row; 1: not coloured.
void append_changes(std::string& out, Table table, const std::vector<double>& ratios, const DiffOptions& options) {
  append_fitted_table(out, std::move(table), options.width, [&](std::string line, usize row) {
    if (!options.coloured || ratios[row] == 1) return line;
    return std::string(ratios[row] > 1 ? text::kRed : text::kGreen).append(line).append(text::kNoColour);
  });
}

std::string amount_text(double amount) {
  if (amount != 0 && amount < 0.001) return fmt::format("{:.3g}", amount);
  return amount < 1 ? fmt::format("{:.4g}", amount) : text::scaled_number(amount);
}

std::string time_text(double seconds) {
  constexpr std::pair<double, std::string_view> kUnits[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}};
  for (const auto& [per_second, unit] : kUnits) {
    if (const double value = seconds * per_second; value < 999.5) return fmt::format("{:.3g} {}", value, unit);
  }
  return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string unit_text(double amount, compare::CostUnit unit) {
  using compare::CostUnit;
  return unit == CostUnit::seconds       ? time_text(amount)
         : unit == CostUnit::nanoseconds ? time_text(amount / 1e9)
                                         : amount_text(amount);
}

// Did the cost grow from zero, or from nearly zero?
bool is_new(double before, double after, double ratio) {
  return after > 0 && (before <= 0 || ratio >= compare::kManyTimes);
}

// A name can contain line ends, but a row must be one line.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<u8>(c) < 0x20 || c == 0x7f; }, ' ');
  return out;
}

// Adds the change in percent of the side before.
void add_percents(Columns& to, double ratio, double low, double high, bool has_interval) {
  to.member("percent", Shortest{100 * (ratio - 1)});
  if (!has_interval) return;
  to.member("low_percent", Shortest{100 * (low - 1)});
  to.member("high_percent", Shortest{100 * (high - 1)});
}

std::string_view unit_key(UnitKind kind) {
  return kind == UnitKind::module ? "" : kind == UnitKind::line ? "line" : "function";
}

void append_units(std::string& out, const EventChange& event, const std::vector<const UnitChange*>& rows,
                  const DiffOptions& options) {
  const auto has_note = [](const UnitChange* row) { return !row->note.empty(); };
  const bool has_notes = std::any_of(rows.begin(), rows.end(), has_note);
  Table table = table_of(rows, [&](Columns& to, const UnitChange* row) {
    const auto name = [&](std::string_view title, const std::string& text) {
      to.string({.text = title, .may_be_cut = true}, one_line(text));
    };
    ChangeColumns{event, DiffFace::text}(to, *row);
    name(unit_key(row->kind), row->name);
    name("module", row->module);
    if (has_notes) name("note", row->note);
  });
  std::vector<double> ratios;
  if (options.coloured) {
    for (const UnitChange* row : rows) ratios.push_back(row->is_significant ? row->change().ratio : 1);
  }
  append_changes(out, std::move(table), ratios, options);
}

std::string_view kind_words(UnitKind kind) {
  return kind == UnitKind::function    ? "functions"
         : kind == UnitKind::inclusive ? "functions including their callees"
         : kind == UnitKind::module    ? "modules"
                                       : "lines";
}

// Appends the significant changes, then the largest of the changes that may be chance.
void append_kind(std::string& out, const EventChange& event, const std::vector<UnitChange>& rows, UnitKind kind,
                 const DiffOptions& options) {
  if (rows.empty()) return;
  std::vector<const UnitChange*> found, unsure;
  for (const UnitChange& row : rows) (row.is_significant ? found : unsure).push_back(&row);
  const auto few = [](std::vector<const UnitChange*>& list, usize most) { list.resize(std::min(list.size(), most)); };
  const usize all_found = found.size();
  if (!options.verbose) few(found, options.rows);
  if (found.empty()) {
    out += fmt::format("\n{}: no change is sure\n", kind_words(kind));
  } else {
    out += fmt::format("\n{}: changes (false-alarm rate 5 %):\n", kind_words(kind));
    append_units(out, event, found, options);
    if (all_found > found.size()) out += fmt::format("  and {} more\n", text::with_commas(all_found - found.size()));
  }
  constexpr usize kUnsure = 5;
  if (!options.verbose) {
    std::erase_if(unsure, [](const UnitChange* row) { return row->difference() == 0 && row->note.empty(); });
    few(unsure, kind == UnitKind::function ? std::min<usize>(kUnsure, options.rows) : 0);
  }
  if (unsure.empty()) return;
  out += fmt::format("\n{}: may be chance:\n", kind_words(kind));
  append_units(out, event, unsure, options);
}

void append_totals(std::string& out, const Comparison& comparison, const DiffOptions& options) {
  if (comparison.totals.empty()) return;
  std::vector<double> ratios;
  for (const TotalChange& total : comparison.totals) ratios.push_back(total.is_significant ? ratio_of(total) : 1);
  out += '\n';
  if (!comparison.is_one_run) {
    out += options.totals_per.empty() ? "medians of the runs:\n" : "medians of the runs, " + options.totals_per + ":\n";
  } else if (!options.totals_per.empty()) {
    out += options.totals_per + ":\n";
  }
  append_changes(out, table_of(comparison.totals, TotalColumns{comparison, DiffFace::text}), ratios, options);
}

}  // namespace

void TotalColumns::operator()(Columns& to, const TotalChange& total) const {
  const bool is_text = face == DiffFace::text;
  const auto amount = [&](std::string_view name, double value) {
    to.add({name, name}, Shortest{value}, total_text(total, value));
  };
  to.add({"total", "event"}, total.event,
         is_text                      ? one_line(total.event)
         : face == DiffFace::markdown ? markdown_cell(total.event)
                                      : total.event);
  to.member("counted", total.is_counted);
  if (const std::string_view unit = cost_unit(total.unit); !unit.empty()) to.member("unit", unit);
  to.string({"change", "change"}, total_words(total));
  amount("before", total.median_before);
  amount("after", total.median_after);
  if (total.has_ratio) add_percents(to, total.ratio, total.low, total.high, total.has_interval);
  to.member("chance", Shortest{total.answer});
  to.member("sure", total.is_significant);
  if (is_text && comparison.is_one_run) return;
  to.string({is_text ? "interval" : "95 % interval"}, total.has_interval ? interval_text(total.low, total.high) : "-");
  if (is_text) to.string({"chance"}, chance_text(total.answer));
  to.string({"sure"}, sure_text(comparison, total));
}

void ChangeColumns::operator()(Columns& to, const UnitChange& row) const {
  const bool is_text = face == DiffFace::text;
  const compare::RateChange change = row.change();
  const auto amount = [&](std::string_view name, double value) {
    to.add({name, name}, Shortest{value}, cost_text(value, event));
  };
  to.string({is_text && event.per == compare::Per::share ? "share" : "change", "change"},
            change_words(row.before, row.after, change.ratio));
  amount("before", row.before);
  amount("after", row.after);
  add_percents(to, change.ratio, change.low, change.high, true);
  to.string({is_text ? "interval" : "95 % interval"}, interval_text(row, change));
  to.member("samples_before", row.samples_before);
  to.member("samples_after", row.samples_after);
  to.string({.text = "samples", .align = Align::right}, samples_text(row));
  if (face != DiffFace::markdown) to.string({"chance"}, chance_text(row.answer));
}

std::string_view cost_unit(compare::CostUnit unit) {
  using compare::CostUnit;
  return unit == CostUnit::count ? "" : unit == CostUnit::seconds ? "seconds" : "nanoseconds";
}

std::string samples_text(const UnitChange& row) {
  return text::with_commas(row.samples_before) + " to " + text::with_commas(row.samples_after);
}

std::string chance_text(double answer) {
  return answer < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.4f}", answer);
}

std::string per_words(compare::Per per) {
  switch (per) {
    case compare::Per::share:
      return "share of all samples";
    case compare::Per::second:
      return "per second";
    case compare::Per::run:
      return "per run";
    case compare::Per::counter:
      return "per count of the chosen event";
  }
  return {};
}

std::string total_text(const TotalChange& total, double amount) {
  return unit_text(amount, total.unit);
}

std::string cost_text(double cost, compare::Per per, compare::CostUnit unit) {
  return per == compare::Per::share ? fmt::format("{:.2f} %", 100 * cost) : unit_text(cost, unit);
}
std::string cost_text(double cost, const EventChange& event) {
  return cost_text(cost, event.per, event.unit);
}

double ratio_of(const TotalChange& total) {
  return total.has_ratio ? total.ratio : total.median_after / total.median_before;
}

// Does each run of a side have the same value, such as a count of bytes that does not depend on time?
bool is_same_in_each_run(const TotalChange& total) {
  if (total.before.size() < 2 || total.after.size() < 2) return false;
  const auto is_it = [&](double value) { return value == total.before.front(); };
  return std::ranges::all_of(total.before, is_it) && std::ranges::all_of(total.after, is_it);
}

std::string total_words(const TotalChange& total) {
  const auto is_zero = [](double value) { return value == 0; };
  const bool was_never = std::all_of(total.before.begin(), total.before.end(), is_zero);
  const bool is_never = std::all_of(total.after.begin(), total.after.end(), is_zero);
  if (total.median_before == 0 && total.median_after == 0 && !(was_never && is_never)) return "zero in most runs";
  if (total.median_before == 0 && !was_never) return "grew from 0";
  if (total.median_after == 0 && !is_never) return "shrank to 0";
  if (total.median_before != 0 && is_same_in_each_run(total)) return "is the same in every run";
  return change_words(total.median_before, total.median_after, ratio_of(total));
}

std::string_view sure_text(const Comparison& comparison, const TotalChange& total) {
  if (comparison.is_one_run) return "one run per side";
  return is_same_in_each_run(total) ? "" : total.is_significant ? "yes" : "may be chance";
}

std::string_view one_run_text(const Comparison& comparison) {
  if (!comparison.is_one_run) return {};
  const bool is_assumed = std::any_of(comparison.events.begin(), comparison.events.end(),
                                      [](const EventChange& event) { return event.per != compare::Per::share; });
  return is_assumed ? "Only one run per side: run-to-run noise is unknown, and assumed to be 5 %. Use bench -n 8."
         : comparison.events.empty()
             ? "Only one run per side: run-to-run noise is unknown, so all changes may be chance. Use bench -n 8."
             : "Only one run per side: run-to-run noise is unknown. Use bench -n 8.";
}

std::string headline_text(const Comparison& comparison) {
  constexpr usize kNamed = 4;  // the table of totals has all totals
  std::vector<const TotalChange*> named;
  for (const TotalChange& total : comparison.totals) {
    if (total.median_before != 0 || total.median_after != 0) named.push_back(&total);
  }
  std::stable_partition(named.begin(), named.end(), [](const TotalChange* total) { return total->is_significant; });
  named.resize(std::min(named.size(), kNamed));
  std::string text;
  for (const TotalChange* one : named) {
    const TotalChange& total = *one;
    const double ratio = ratio_of(total);
    const bool shows_interval = total.has_interval && ratio != 1;
    text += fmt::format("{}{} {} ({} to {}{}{})", text.empty() ? "" : ", ", one_line(total.event), total_words(total),
                        total_text(total, total.median_before), total_text(total, total.median_after),
                        shows_interval ? ", interval " + interval_text(total.low, total.high) : "",
                        comparison.is_one_run || total.is_significant || ratio == 1 ? "" : ", may be chance");
  }
  return text;
}

std::string change_words(double before, double after, double ratio) {
  if (before == 0 && after == 0) return "zero on both sides";
  if (is_new(before, after, ratio)) return "is new";
  if (is_new(after, before, 1 / ratio)) return "is gone";
  const double percent = 100 * std::abs(ratio - 1);
  if (percent == 0) return "is the same";
  const int decimals = percent < 0.0995 ? 3 : percent < 0.995 ? 2 : percent < 99.95 ? 1 : 0;
  if (ratio >= compare::kTimes) return fmt::format("grew {:.1f} times", ratio);
  return fmt::format("{} by {:.{}f} %", ratio > 1 ? "grew" : "shrank", percent, decimals);
}

std::string interval_text(double low, double high) {
  return compare::ratio_interval_text(low, high);
}

// A function that is new or gone has no ratio.
std::string interval_text(const UnitChange& row, const compare::RateChange& change) {
  const bool has_none = is_new(row.before, row.after, change.ratio) || is_new(row.after, row.before, 1 / change.ratio);
  return has_none ? "-" : interval_text(change.low, change.high);
}

std::string sides_text(const Comparison& comparison) {
  const auto side = [](const std::vector<std::string>& files, const std::string& fleet) {
    if (!fleet.empty()) return fmt::format("{} host{} of {}", files.size(), files.size() == 1 ? "" : "s", fleet);
    if (files.size() == 1) return files.front();
    if (files.front() == files.back()) return fmt::format("{} runs of {}", files.size(), files.front());
    return fmt::format("{} runs ({} ... {})", files.size(), files.front(), files.back());
  };
  return side(comparison.files_before, comparison.fleet_before) + " (before) and " +
         side(comparison.files_after, comparison.fleet_after) + " (after)";
}

std::string sensitivity_text(const EventChange& event) {
  std::string text = text::counted(event.compared, "function") + " compared";
  if (event.too_few != 0) {
    text += fmt::format("; {} {} too few samples to judge", text::with_commas(event.too_few),
                        event.too_few == 1 ? "has" : "have");
  }
  text += ". ";
  const double ratio = event.detectable_of_percent;
  if (!std::isfinite(ratio)) return text + "Too few samples to detect any change.";
  if (ratio > compare::kManyTimes) return text + "Too few samples to detect any change in a 1 % function.";
  constexpr double kReadsAsTimes = 2;
  const std::string change = ratio >= compare::kTimes ? compare::times_text(ratio)
                             : ratio >= kReadsAsTimes ? fmt::format("{:.2g} times", ratio)
                                                      : fmt::format("{:.3g} %", 100 * (ratio - 1));
  const bool is_time = event.unit != compare::CostUnit::count || event.event.find("cycles") != std::string::npos;
  return text + fmt::format("With this {} samples, a function with 1 % of {} would have to {} to be noticed.",
                            ratio >= kReadsAsTimes ? "few" : "many", is_time ? "the time" : "them",
                            is_time                  ? "become " + change + " slower"
                            : ratio >= kReadsAsTimes ? "grow " + change
                                                     : "grow by " + change);
}

std::string diff_text(const Comparison& comparison, const DiffOptions& options) {
  std::string out = sides_text(comparison) + '\n';
  if (const std::string headline = headline_text(comparison); !headline.empty()) out += headline + '\n';
  if (const std::string_view text = one_run_text(comparison); !text.empty()) out += fmt::format("{}\n", text);
  append_totals(out, comparison, options);
  for (const EventChange& event : comparison.events) {
    out += fmt::format("\n{} ({}): {} samples before, {} after\n", event.event, per_words(event.per),
                       text::with_commas(event.samples_before), text::with_commas(event.samples_after));
    append_kind(out, event, event.modules, UnitKind::module, options);
    append_kind(out, event, event.functions, UnitKind::function, options);
    append_kind(out, event, event.inclusive, UnitKind::inclusive, options);
    append_kind(out, event, event.lines, UnitKind::line, options);
    out += '\n' + sensitivity_text(event) + '\n';
    if (comparison.is_one_run && !event.has_scatter && event.compared != 0)
      out += "The recordings have no sample times, so bursts of samples cannot be detected.\n";
  }
  for (const std::string& note : comparison.notes) out += "note: " + note + '\n';
  return out;
}

}  // namespace wperf::report
