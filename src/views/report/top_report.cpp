// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/top_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/count_derived.h"
#include "views/report/document_version.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

constexpr u32 kSoftwareEvent = 1;  // PERF_TYPE_SOFTWARE: cpu-clock is 0, task-clock 1

double per_second(u64 number, double seconds) {
  return seconds > 0 ? static_cast<double>(number) / seconds : 0;
}

auto wait_columns(u64 waited) {
  return [waited](Columns& to, const waits::FunctionWaits& row) {
    const double percent = text::percent_of(row.waited, waited);
    to.member("function", row.function);
    to.member("module", row.module);
    to.string({"for", "class", 4}, name_of(row.wait));
    to.count({"begun", "begun", 3}, row.begun);
    to.add({"waited", "waited_ns", 2}, row.waited, text::duration(static_cast<double>(row.waited) / 1e9));
    to.add({"%", {}, 1}, percent, text::fixed(percent, 2));
    to.string({.text = "in", .place = 5, .may_be_cut = true}, waiting_function(row));
  };
}

void append_waits(std::string& out, const TopFacts& facts, const StackOptions& options) {
  u64 begun = 0, waited = 0;
  for (const waits::FunctionWaits& row : *facts.waits) {
    begun += row.begun;
    waited += row.waited;
  }
  out += "\nwhere threads waited: ";
  if (facts.waits->empty()) {
    out += "none of them started to wait in this time; waits that began earlier are not known\n";
    return;
  }
  out += waited_text(begun, waited, facts.seconds) + "\n";
  const std::span<const waits::FunctionWaits> rows(*facts.waits);
  const auto shown = rows.first(std::min<usize>(rows.size(), options.rows));
  if (!shown.empty()) append_fitted_table(out, table_of(shown, wait_columns(waited)), options.width, {});
  if (shown.size() < rows.size())
    out += fmt::format("      ... and {} more\n", text::with_commas(rows.size() - shown.size()));
}

auto counter_columns(const TopFacts& facts) {
  return [&facts](Columns& to, const answers::CountRow& row) {
    to.string({.text = "event", .key = "event", .place = 2, .may_be_cut = true}, row.name);
    to.add({"count", row.counted() ? "count" : "", 1}, row.scaled, counter_text(row));
    to.member("counted_share", Decimals{row.fraction, 4});
    to.string({"derived", {}, 3}, derived_text(row, *facts.counters, facts.seconds));
    const std::optional<Derived> derived = derive(row, *facts.counters, facts.seconds);
    if (to.json() == nullptr || !derived.has_value()) return;
    to.json()->begin_object("derived");
    to.json()->real("value", derived->value);
    to.json()->string("unit", derived->unit);
    to.json()->end_object();
  };
}

std::vector<answers::CountRow> counters_of(const TopFacts& facts) {
  std::vector<answers::CountRow> rows = *facts.counters;
  std::erase_if(rows, [&](const answers::CountRow& row) { return repeats_cycles(row, *facts.counters); });
  return rows;
}

}  // namespace

std::string counter_text(const answers::CountRow& row) {
  if (!row.counted()) return "not counted";
  return text::with_commas(row.scaled);
}

std::string waiting_function(const waits::FunctionWaits& row) {
  if (row.function.empty()) return "[unknown]";
  return row.module.empty() ? row.function : fmt::format("{}!{}", row.module, row.function);
}

std::string waited_text(u64 begun, u64 waited_ns, double seconds) {
  const double waited = static_cast<double>(waited_ns) / 1e9;
  return fmt::format("{} by {} threads, {} started", text::duration(waited),
                     text::fixed(seconds > 0 ? waited / seconds : 0, 1), text::with_commas(begun));
}

bool is_clock_event(const stacks::StackEvent& event) {
  return event.type == kSoftwareEvent && event.code <= 1;
}

bool is_incomplete(const stacks::StackLosses& losses) {
  return losses.lost_records != 0 || losses.lost_samples != 0 || losses.held_back != 0 || losses.throttled != 0;
}

std::string rates_text(const stacks::StackProfile& profile, double seconds) {
  std::string text;
  for (const stacks::StackEvent& event : profile.events) {
    text += !text.empty() ? ", " : is_incomplete(profile.losses) ? "at least " : "";
    const double rate = per_second(event.period, seconds);
    text += is_clock_event(event) ? fmt::format("{} {} cores", event.name, text::fixed(rate / 1e9, 2))
                                  : fmt::format("{} {}/s", event.name, text::scaled_number(rate));
  }
  return text;
}

std::string top_text(const stacks::StackProfile& profile, const TopFacts& facts, const StackOptions& options) {
  std::string out = fmt::format("{} of {}{}: {}\n", text::duration(facts.seconds), facts.of,
                                facts.has_ended ? ", which has ended" : "", rates_text(profile, facts.seconds));
  out += stack_text(profile, options);
  if (facts.waits != nullptr) append_waits(out, facts, options);
  if (facts.counters == nullptr) return out;
  out += "\ncounted together with the samples:\n";
  append_fitted_table(out, table_of(counters_of(facts), counter_columns(facts)), options.width, {});
  return out;
}

std::string top_json(const stacks::StackProfile& profile, const TopFacts& facts, const StackOptions& options) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_object("top");
  json.string("of", facts.of);
  json.fixed("seconds", facts.seconds, 6);
  json.boolean("has_ended", facts.has_ended);
  json.boolean("rates_incomplete", is_incomplete(profile.losses));
  json.begin_array("rates");
  for (const stacks::StackEvent& event : profile.events) {
    json.begin_object();
    json.string("event", event.name);
    json.fixed("per_second", per_second(event.period, facts.seconds), 3);
    json.end_object();
  }
  json.end_array();
  if (facts.waits != nullptr) write_rows(json, "waits", *facts.waits, wait_columns(0));
  if (facts.counters != nullptr) write_rows(json, "counters", counters_of(facts), counter_columns(facts));
  json.end_object();
  write_stack(json, profile, options);  // the same as in `report --json` for these samples
  json.end_object();
  return out;
}

}  // namespace wperf::report
