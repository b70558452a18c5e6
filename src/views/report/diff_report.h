// SPDX-License-Identifier: BSD-3-Clause
// The answers of `diff` and `bench`: text, JSON, Markdown, and annotations of a gate for CI systems. Pure functions;
// lines end in LF.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "views/report/table.h"

namespace wperf::report {

struct DiffOptions {
  u32 rows = 50;  // for each table
  bool verbose = false;
  bool coloured = false;
  usize width = 0;              // of the terminal; 0: unlimited
  std::string totals_per = {};  // the divisor of the totals: "per second"; empty: not divided
};

std::string diff_text(const compare::Comparison& comparison, const DiffOptions& options);
std::string diff_json(const compare::Comparison& comparison, const std::vector<compare::Verdict>& verdicts,
                      const DiffOptions& options);
std::string diff_markdown(const compare::Comparison& comparison, const std::vector<compare::Verdict>& verdicts,
                          const DiffOptions& options);

// One line for each condition.
std::string gate_text(const std::vector<compare::Verdict>& verdicts);
// One test case for each condition, in the form that CI systems read.
std::string gate_junit(const std::vector<compare::Verdict>& verdicts);
// `::error …` lines for conditions that were not met. GitHub shows each at its source line, if that is known.
std::string gate_annotations(const std::vector<compare::Verdict>& verdicts);

// Forms of the tables of changes. JSON has numbers in addition to words. Text has more columns and keeps names on one
// line. Markdown escapes special characters in names; HTML pages take names unchanged.
enum class DiffFace { text, markdown, page, json };
struct TotalColumns {
  const compare::Comparison& comparison;
  DiffFace face;
  void operator()(Columns& to, const compare::TotalChange& total) const;
};
// The changed costs of a unit, without its name.
struct ChangeColumns {
  const compare::EventChange& event;
  DiffFace face;
  void operator()(Columns& to, const compare::UnitChange& row) const;
};
std::string markdown_cell(std::string_view text);

// Only for the files of this folder: "grew by 20.1 %", "+11.3 to +29.5 %", a cost with its unit.
std::string change_words(double before, double after, double ratio);
// The ratio of a total. If there is no ratio of runs because some runs counted 0, the ratio of the medians.
double ratio_of(const compare::TotalChange& total);
std::string total_words(const compare::TotalChange& total);
std::string total_text(const compare::TotalChange& total, double amount);  // "1.79 s", "241 K"
// The changes of the totals, significant ones first: "elapsed shrank by 41.2 % (1.79 s to 1.05 s, interval -43.0 to
// -39.4 %)".
std::string headline_text(const compare::Comparison& comparison);
std::string_view sure_text(const compare::Comparison& comparison, const compare::TotalChange& total);
std::string interval_text(double low, double high);
std::string interval_text(const compare::UnitChange& row, const compare::RateChange& change);
std::string cost_text(double cost, compare::Per per, compare::CostUnit unit);
std::string cost_text(double cost, const compare::EventChange& event);
std::string per_words(compare::Per per);
// The smallest detectable change, and the number of functions with too few samples.
std::string sensitivity_text(const compare::EventChange& event);
std::string_view cost_unit(compare::CostUnit unit);        // as in JSON; empty for a count
std::string samples_text(const compare::UnitChange& row);  // "1,200 to 900"
std::string sides_text(const compare::Comparison& comparison);
// A probability in readable form.
std::string chance_text(double answer);
// The note that there is only one run; empty if there are several runs.
std::string_view one_run_text(const compare::Comparison& comparison);

}  // namespace wperf::report
