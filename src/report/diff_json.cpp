// SPDX-License-Identifier: BSD-3-Clause
// data/diff/diff.schema describes the document.
#include <cmath>

#include "report/diff_report.h"
#include "report/json_writer.h"

namespace wperf::report {
namespace {

using compare::Comparison;
using compare::EventChange;
using compare::TotalChange;
using compare::UnitChange;

class DiffWriter {
 public:
  explicit DiffWriter(std::string& out) : json_(out) {}

  void write(const Comparison& comparison, const std::vector<compare::Verdict>& verdicts, const DiffOptions& options) {
    json_.begin_object();
    json_.key("diff");
    json_.begin_object();
    texts("before", comparison.files_before);
    texts("after", comparison.files_after);
    flag("one_run_a_side", comparison.is_one_run);
    list("totals", comparison.totals, [&](const TotalChange& total) { write_total(total); });
    list("events", comparison.events, [&](const EventChange& event) { write_event(event, options); });
    list("gate", verdicts, [&](const compare::Verdict& verdict) { write_verdict(verdict); });
    texts("notes", comparison.notes);
    json_.end_object();
    json_.end_object();
  }

 private:
  void text(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.string(value);
  }
  void flag(std::string_view key, bool value) {
    json_.key(key);
    json_.boolean(value);
  }
  void integer(std::string_view key, u64 value) {
    json_.key(key);
    json_.integer(value);
  }
  // What is not finite has no number: it is left out.
  void number(std::string_view key, double value) {
    if (!std::isfinite(value)) return;
    json_.key(key);
    json_.real(value);
  }
  template <typename List, typename Write>
  void list(std::string_view key, const List& values, const Write& write_one) {
    json_.key(key);
    json_.begin_array();
    for (const auto& value : values) write_one(value);
    json_.end_array();
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    list(key, values, [&](const std::string& value) { json_.string(value); });
  }
  // In percent of before.
  void change(double ratio, double low, double high, bool has_interval) {
    number("percent", 100 * (ratio - 1));
    if (!has_interval) return;
    number("low_percent", 100 * (low - 1));
    number("high_percent", 100 * (high - 1));
  }

  void write_total(const TotalChange& total) {
    json_.begin_object();
    text("event", total.event);
    flag("counted", total.is_counted);
    text("change", change_words(total.median_before, total.median_after, total.ratio));
    number("before", total.median_before);
    number("after", total.median_after);
    if (total.has_ratio) change(total.ratio, total.low, total.high, total.has_interval);
    number("chance", total.answer);
    flag("sure", total.found);
    list("runs_before", total.before, [&](double value) { json_.real(value); });
    list("runs_after", total.after, [&](double value) { json_.real(value); });
    json_.end_object();
  }

  void write_event(const EventChange& event, const DiffOptions& options) {
    json_.begin_object();
    text("event", event.event);
    text("per", per_words(event.per));
    integer("samples_before", event.samples_before);
    integer("samples_after", event.samples_after);
    integer("functions_compared", event.compared);
    integer("functions_with_too_few_samples", event.too_few);
    number("seen_from_percent", 100 * (event.detectable_of_percent - 1));
    const auto rows = [&](std::string_view key, const std::vector<UnitChange>& units) {
      json_.key(key);
      json_.begin_array();
      usize unsure = 0;
      for (const UnitChange& row : units) {
        if (!row.found && ++unsure > options.rows) break;
        write_unit(row);
      }
      json_.end_array();
    };
    rows("modules", event.modules);
    rows("functions", event.functions);
    rows("lines", event.lines);
    json_.end_object();
  }

  void write_unit(const UnitChange& row) {
    const compare::RateChange rates = row.change();
    json_.begin_object();
    if (row.kind != compare::UnitKind::module)
      text(row.kind == compare::UnitKind::line ? "line" : "function", row.name);
    text("module", row.module);
    text("change", change_words(row.before, row.after, rates.ratio));
    number("before", row.before);
    number("after", row.after);
    change(rates.ratio, rates.low, rates.high, true);
    integer("samples_before", row.samples_before);
    integer("samples_after", row.samples_after);
    number("scatter", row.scatter.factor);
    number("chance", row.answer);
    flag("sure", row.found);
    number("seen_from_percent", 100 * (row.detectable() - 1));
    if (!row.was.empty()) text("was", row.was);
    if (!row.note.empty()) text("note", row.note);
    json_.end_object();
  }

  void write_verdict(const compare::Verdict& verdict) {
    json_.begin_object();
    text("condition", verdict.condition);
    const auto kind = verdict.kind;
    text("verdict", kind == compare::Verdict::Kind::failed   ? "failed"
                    : kind == compare::Verdict::Kind::passed ? "passed"
                                                             : "unknown");
    text("why", verdict.why);
    json_.end_object();
  }

  JsonWriter json_;
};

}  // namespace

std::string diff_json(const Comparison& comparison, const std::vector<compare::Verdict>& verdicts,
                      const DiffOptions& options) {
  std::string out;
  DiffWriter(out).write(comparison, verdicts, options);
  return out + '\n';
}

}  // namespace wperf::report
