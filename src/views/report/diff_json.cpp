// SPDX-License-Identifier: BSD-3-Clause
// data/schemas/diff.schema describes the document.
#include <cmath>

#include "ground/text/json_writer.h"
#include "views/report/diff_report.h"
#include "views/report/document_version.h"

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
    json_.integer("version", kDocumentVersion);
    json_.begin_object("diff");
    texts("before", comparison.files_before);
    texts("after", comparison.files_after);
    json_.boolean("one_run_a_side", comparison.is_one_run);
    json_.string("headline", headline_text(comparison));
    if (!options.totals_per.empty()) json_.string("totals_are", options.totals_per);
    write_rows(json_, "totals", comparison.totals, [&](Columns& to, const TotalChange& total) {
      TotalColumns{comparison, DiffFace::json}(to, total);
      list("runs_before", total.before, [&](double value) { json_.shortest(value); });
      list("runs_after", total.after, [&](double value) { json_.shortest(value); });
    });
    list("events", comparison.events, [&](const EventChange& event) { write_event(event, options); });
    list("gate", verdicts, [&](const compare::Verdict& verdict) { write_verdict(verdict); });
    texts("notes", comparison.notes);
    json_.end_object();
    json_.end_object();
  }

 private:
  // Infinite values are not numbers in JSON, so they are left out.
  void number(std::string_view key, double value) {
    if (!std::isfinite(value)) return;
    json_.key(key);
    json_.shortest(value);
  }
  template <typename List, typename Write>
  void list(std::string_view key, const List& values, const Write& write_one) {
    json_.begin_array(key);
    for (const auto& value : values) write_one(value);
    json_.end_array();
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    list(key, values, [&](const std::string& value) { json_.string(value); });
  }
  void write_event(const EventChange& event, const DiffOptions& options) {
    json_.begin_object();
    json_.string("event", event.event);
    json_.string("per", per_words(event.per));
    if (const std::string_view unit = cost_unit(event.unit); !unit.empty()) json_.string("unit", unit);
    json_.integer("samples_before", event.samples_before);
    json_.integer("samples_after", event.samples_after);
    json_.integer("functions_compared", event.compared);
    json_.integer("functions_with_too_few_samples", event.too_few);
    number("seen_from_percent", 100 * (event.detectable_of_percent - 1));
    Columns columns(json_);
    const auto write = [&](Columns& to, const UnitChange& row) { write_unit(to, event, row); };
    const auto rows = [&](std::string_view key, const std::vector<UnitChange>& units) {
      json_.begin_array(key);
      usize unsure = 0;
      for (const UnitChange& row : units) {
        if (row.is_significant || options.verbose || unsure < options.rows) columns.add_row(row, write);
        unsure += !row.is_significant;
      }
      json_.end_array();
      if (!options.verbose && unsure > options.rows)
        json_.integer(std::string(key) + "_left_out", unsure - options.rows);
    };
    rows("modules", event.modules);
    rows("functions", event.functions);
    if (!event.inclusive.empty()) rows("inclusive", event.inclusive);
    rows("lines", event.lines);
    json_.end_object();
  }

  void write_unit(Columns& to, const EventChange& event, const UnitChange& row) {
    if (row.kind != compare::UnitKind::module)
      to.member(row.kind == compare::UnitKind::line ? "line" : "function", row.name);
    to.member("module", row.module);
    ChangeColumns{event, DiffFace::json}(to, row);
    to.member("scatter", Shortest{row.scatter.factor});
    to.member("chance", Shortest{row.answer});
    to.member("sure", row.is_significant);
    to.member("seen_from_percent", Shortest{100 * (row.detectable() - 1)});
    if (!row.was.empty()) to.member("was", row.was);
    if (!row.with.empty()) texts("with", row.with);
    if (!row.note.empty()) to.member("note", row.note);
  }

  void write_verdict(const compare::Verdict& verdict) {
    json_.begin_object();
    json_.string("condition", verdict.condition);
    if (!verdict.name.empty()) json_.string("name", verdict.name);
    const auto kind = verdict.kind;
    json_.string("verdict", kind == compare::Verdict::Kind::failed   ? "failed"
                            : kind == compare::Verdict::Kind::passed ? "passed"
                            : kind == compare::Verdict::Kind::unsure ? "unsure"
                                                                     : "unknown");
    json_.string("why", verdict.why);
    json_.end_object();
  }

  text::JsonWriter json_;
};

}  // namespace

std::string diff_json(const Comparison& comparison, const std::vector<compare::Verdict>& verdicts,
                      const DiffOptions& options) {
  std::string out;
  DiffWriter(out).write(comparison, verdicts, options);
  return out + '\n';
}

}  // namespace wperf::report
