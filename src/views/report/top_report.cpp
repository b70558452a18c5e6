// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/top_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/count_derived.h"
#include "views/report/document_version.h"
#include "views/report/fitted_table.h"

namespace wperf::report {
namespace {

constexpr u32 kSoftwareEvent = 1;  // PERF_TYPE_SOFTWARE: cpu-clock is 0, task-clock 1

double per_second(u64 number, double seconds) {
  return seconds > 0 ? static_cast<double>(number) / seconds : 0;
}

void append_waits(std::string& out, const LookFacts& facts, const StackOptions& options) {
  u64 begun = 0, waited = 0;
  for (const waits::WaitedIn& row : *facts.waits) {
    begun += row.begun;
    waited += row.waited;
  }
  out += "\nwhere threads waited: ";
  if (facts.waits->empty()) {
    out += "none of them started to wait in this time; waits that began earlier are not known\n";
    return;
  }
  out += waited_text(begun, waited, facts.seconds) + "\n";
  std::vector<FittedColumn> columns{{.title = "%", .right = true},
                                    {.title = "waited", .right = true},
                                    {.title = "begun", .right = true},
                                    {.title = "for"},
                                    {.title = "in", .may_be_cut = true}};
  const usize rows = std::min<usize>(facts.waits->size(), options.rows);
  for (usize i = 0; i < rows; ++i) {
    const waits::WaitedIn& row = (*facts.waits)[i];
    const double percent = waited == 0 ? 0 : 100.0 * static_cast<double>(row.waited) / static_cast<double>(waited);
    columns[0].cells.push_back(text::fixed(percent, 2));
    columns[1].cells.push_back(text::duration(static_cast<double>(row.waited) / 1e9));
    columns[2].cells.push_back(text::with_commas(row.begun));
    columns[3].cells.emplace_back(class_text(row.wait));
    columns[4].cells.push_back(waiting_function(row));
  }
  if (rows != 0) append_fitted_table(out, columns, options.width, {});
  if (rows < facts.waits->size())
    out += fmt::format("      ... and {} more\n", text::with_commas(facts.waits->size() - rows));
}

void append_waits_json(text::JsonWriter& json, const std::vector<waits::WaitedIn>& waits) {
  json.begin_array("waits");
  for (const waits::WaitedIn& row : waits) {
    json.begin_object();
    json.string("function", row.function);
    json.string("module", row.module);
    json.string("class", class_text(row.wait));
    json.integer("begun", row.begun);
    json.integer("waited_ns", row.waited);
    json.end_object();
  }
  json.end_array();
}

void append_counters(std::string& out, const LookFacts& facts, const StackOptions& options) {
  out += "\ncounted together with the samples:\n";
  std::vector<FittedColumn> columns{
      {.title = "count", .right = true}, {.title = "event", .may_be_cut = true}, {.title = "derived"}};
  for (const answers::CountRow& row : *facts.counters) {
    if (repeats_cycles(row, *facts.counters)) continue;
    columns[0].cells.push_back(counter_text(row));
    columns[1].cells.push_back(row.name);
    columns[2].cells.push_back(derived_text(row, *facts.counters, facts.seconds));
  }
  append_fitted_table(out, columns, options.width, {});
}

void append_counters_json(text::JsonWriter& json, const LookFacts& facts) {
  json.begin_array("counters");
  for (const answers::CountRow& row : *facts.counters) {
    if (repeats_cycles(row, *facts.counters)) continue;
    json.begin_object();
    json.string("event", row.name);
    if (row.counted()) {
      json.integer("count", row.scaled);
    }
    json.fixed("counted_share", row.fraction, 4);
    if (const std::optional<Derived> derived = derive(row, *facts.counters, facts.seconds); derived.has_value()) {
      json.begin_object("derived");
      json.real("value", derived->value);
      json.string("unit", derived->unit);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string counter_text(const answers::CountRow& row) {
  if (!row.counted()) return "not counted";
  return text::with_commas(row.scaled);
}

std::string_view class_text(waits::WaitClass wait) {
  return waits::kWaitClassNames[static_cast<usize>(wait)];
}

std::string waiting_function(const waits::WaitedIn& row) {
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

std::string top_text(const stacks::StackProfile& profile, const LookFacts& facts, const StackOptions& options) {
  std::string out = fmt::format("{} of {}{}: {}\n", text::duration(facts.seconds), facts.of,
                                facts.has_ended ? ", which has ended" : "", rates_text(profile, facts.seconds));
  out += stack_text(profile, options);
  if (facts.waits != nullptr) append_waits(out, facts, options);
  if (facts.counters != nullptr) append_counters(out, facts, options);
  return out;
}

std::string top_json(const stacks::StackProfile& profile, const LookFacts& facts, const StackOptions& options) {
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
  if (facts.waits != nullptr) append_waits_json(json, *facts.waits);
  if (facts.counters != nullptr) append_counters_json(json, facts);
  json.end_object();
  write_stack(json, profile, options);  // as `report --json` has it for the same samples
  json.end_object();
  return out;
}

}  // namespace wperf::report
