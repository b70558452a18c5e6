// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/difference_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "ground/text/json_writer.h"
#include "views/html/html_report.h"
#include "views/report/diff_report.h"
#include "views/report/escaping.h"

namespace wperf::html {
namespace {

using compare::Comparison;
using compare::EventChange;
using compare::StackChanges;
using compare::UnitChange;
using compare::UnitKind;

// Represents the total cost of the more expensive side, as in difference_view.js. A large number, because costs of rows
// are integers.
constexpr double kWhole = 1e12;

// The stacks of both sides as a profile with two events: both sides together, and the side before.
class TwoSides {
 public:
  explicit TwoSides(const StackChanges& changes) : changes_(changes), whole_(whole_of(changes)) {
    profile_.events.push_back({.name = changes.event + ", both sides"});
    profile_.events.push_back({.name = changes.event + ", before"});
    profile_.names.emplace_back("");
    profile_.tasks.push_back({});
    std::vector<double> before(changes.nodes.size()), after(before);
    for (usize i = 0; i < changes.nodes.size(); ++i) {
      const compare::StackChange& node = changes.nodes[i];
      before[i] += node.before;
      after[i] += node.after;
      if (node.parent == stacks::kNothing) continue;
      before[node.parent] -= node.before;
      after[node.parent] -= node.after;
    }
    for (usize i = 0; i < changes.nodes.size(); ++i) add_node(i, before[i], after[i]);
  }
  stacks::StackProfile take() { return std::move(profile_); }
  static double whole_of(const StackChanges& changes) {
    return std::max(changes.nodes.front().before, changes.nodes.front().after);
  }

 private:
  u64 whole_units(double cost) const {
    return whole_ > 0 ? static_cast<u64>(std::llround(std::clamp(cost / whole_, 0.0, 1.0) * kWhole)) : 0;
  }
  // `before`, `after`: costs of the node itself.
  void add_node(usize number, double before, double after) {
    const compare::StackChange& node = changes_.nodes[number];
    const bool is_root = node.parent == stacks::kNothing;
    profile_.nodes.push_back({node.parent, is_root ? stacks::kNothing : function_of(node)});
    const u64 units_before = whole_units(before);
    add(0, number, node.samples_before + node.samples_after, units_before + whole_units(after));
    add(1, number, node.samples_before, units_before);
  }
  void add(u32 event, usize node, u64 samples, u64 units) {
    if (samples == 0) return;
    profile_.events[event].samples += samples;
    profile_.events[event].period += units;
    profile_.samples.push_back({event, 0, 0, static_cast<u32>(node), samples, units});
  }
  // The number of a function, which is also the number of its place.
  u32 function_of(const compare::StackChange& node) {
    const auto [entry, is_new] = functions_.try_emplace(node.unit, static_cast<u32>(profile_.functions.size()));
    if (!is_new) return entry->second;
    const auto [module, is_new_module] = modules_.try_emplace(node.module, static_cast<u32>(profile_.modules.size()));
    if (is_new_module) profile_.modules.push_back({.name = node.module, .path = {}, .reason = {}});
    profile_.functions.push_back({.name = node.name, .module = module->second, .is_known = true});
    profile_.places.push_back({entry->second});
    return entry->second;
  }

  const StackChanges& changes_;
  double whole_;
  stacks::StackProfile profile_;
  std::map<u32, u32> functions_;  // by unit
  std::map<std::string, u32> modules_;
};

std::string_view kind_word(UnitKind kind) {
  return kind == UnitKind::function    ? "function"
         : kind == UnitKind::inclusive ? "with callees"
         : kind == UnitKind::module    ? "module"
                                       : "line";
}

const std::string& name_of(const UnitChange& row) {
  return row.kind == UnitKind::module ? row.module : row.name;
}

// Calls `use` for the significant changes, and for the `rows` largest other changes.
template <typename Use>
void for_each_shown(const EventChange& event, u32 rows, const Use& use) {
  for (const auto* list : event.lists()) {
    u32 unsure = 0;
    for (const UnitChange& row : *list) {
      if (row.is_significant || unsure++ < rows) use(row);
    }
  }
}

class RowWriter {
 public:
  explicit RowWriter(std::string& out) : json_(out) {}

  void write(const Comparison& comparison, const StackChanges& changes, const std::string& summary) {
    constexpr u32 kMostUnsure = 2000;
    json_.begin_object();
    text("summary", summary);
    // The value and unit of kWhole.
    json_.key("whole");
    json_.shortest(TwoSides::whole_of(changes));
    text("unit", changes.per == compare::Per::share               ? "share"
                 : changes.unit == compare::CostUnit::nanoseconds ? "nanoseconds"
                                                                  : "count");
    json_.begin_array("rows");
    for (const EventChange& event : comparison.events)
      for_each_shown(event, kMostUnsure, [&](const UnitChange& row) { write_row(event, row); });
    json_.end_array();
    json_.end_object();
  }

 private:
  void text(std::string_view key, std::string_view value) { json_.string(key, value); }
  void number(std::string_view key, double value) { json_.real(key, value); }
  void write_row(const EventChange& event, const UnitChange& row) {
    const compare::RateChange change = row.change();
    json_.begin_object();
    text("event", event.event);
    text("kind", kind_word(row.kind));
    text("name", name_of(row));
    text("module", row.module);
    text("change", report::change_words(row.before, row.after, change.ratio));
    text("before", report::cost_text(row.before, event));
    text("after", report::cost_text(row.after, event));
    text("interval", report::interval_text(row, change));
    text("samples", report::samples_text(row));
    text("sure", (row.is_significant ? "yes, " : "no, ") + report::chance_text(row.answer));
    text("note", row.note);
    number("after_value", row.after);
    number("chance_value", row.answer);
    // Significant changes come before the others.
    number("size", std::abs(row.difference()) + (row.is_significant ? 1e18 : 0));
    json_.end_object();
  }

  text::JsonWriter json_;
};

void append_totals(std::string& out, const Comparison& comparison, const std::string& per) {
  if (comparison.totals.empty()) return;
  append_capital_table(out, per.empty() ? "In all" : "In all, " + per,
                       report::table_of(comparison.totals, report::TotalColumns{comparison, report::DiffFace::page}));
}

void append_event(std::string& out, const EventChange& event, u32 rows) {
  out += fmt::format("<h2>{} ({})</h2>\n", report::markup_text(event.event), report::per_words(event.per));
  std::vector<UnitChange> shown;
  for_each_shown(event, rows, [&](const UnitChange& row) { shown.push_back(row); });
  append_capital_table(out, "Changes, sure ones first",
                       report::table_of(shown, [&](report::Columns& to, const UnitChange& row) {
                         report::ChangeColumns{event, report::DiffFace::page}(to, row);
                         to.string({"sure"}, row.is_significant ? "yes" : "may be chance");
                         to.string({"kind"}, kind_word(row.kind));
                         to.string({"module"}, row.module);
                         to.string({"name"}, name_of(row));
                         to.string({"note"}, row.note);
                       }));
  out += "<p>" + report::markup_text(report::sensitivity_text(event)) + "</p>\n";
}

// "Width = before + after; cpu-clock shrank by 41.0 % (1.26 s to 743 ms); 3 changes are sure".
std::string summary_text(const Comparison& comparison, const StackChanges& changes) {
  usize sure = 0;
  for (const EventChange& event : comparison.events)
    for_each_shown(event, 0, [&](const UnitChange& row) { sure += row.is_significant; });
  const compare::StackChange& all = changes.nodes.front();
  std::string whole;
  if (changes.per != compare::Per::share && all.before > 0) {
    whole = fmt::format("; {} {} ({} to {}) {}", changes.event,
                        report::change_words(all.before, all.after, all.after / all.before),
                        report::cost_text(all.before, changes.per, changes.unit),
                        report::cost_text(all.after, changes.per, changes.unit), report::per_words(changes.per));
  } else {
    whole = fmt::format("; shares of {}", changes.event);
  }
  return fmt::format("Width = before + after{}; {} {} sure", whole, sure, sure == 1 ? "change is" : "changes are");
}

}  // namespace

std::string difference_page(const Comparison& comparison, const StackChanges& changes,
                            const DifferencePageOptions& options) {
  const std::string sides = report::sides_text(comparison);
  std::string out = page_start(sides + " - wperf", PageKind::difference) + views_start("What changed");
  out += "<p>" + report::markup_text(sides) + "</p>\n";
  if (const std::string headline = report::headline_text(comparison); !headline.empty())
    out += "<p>" + report::markup_text(headline) + ".</p>\n";
  if (const std::string_view text = report::one_run_text(comparison); !text.empty())
    out += fmt::format("<p>{}</p>\n", text);
  if (!comparison.notes.empty()) {
    out += "<ul class=\"losses\">\n";
    for (const std::string& note : comparison.notes) out += "<li>" + report::markup_text(note) + "</li>\n";
    out += "</ul>\n";
  }
  append_totals(out, comparison, options.totals_per);
  for (const EventChange& event : comparison.events) append_event(out, event, options.rows);
  HtmlOptions page{.version = options.version};
  RowWriter(page.difference_json).write(comparison, changes, summary_text(comparison, changes));
  stacks::StackProfile profile = TwoSides(changes).take();
  profile.file = sides;
  return out + views_end(profile, page);
}

}  // namespace wperf::html
