// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/comparison_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analysis/compare/compared_code.h"
#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "analysis/compare/run_checks.h"
#include "analysis/compare/stack_changes.h"
#include "analysis/compare/total_changes.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/profile_views.h"
#include "ground/diag/result.h"
#include "ground/text/base_name.h"
#include "views/html/difference_page.h"
#include "views/html/svg_flame_graph.h"
#include "views/report/diff_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

compare::ComparisonOptions comparison_options(const request::CostPer& per) {
  using Unit = request::CostPer::Unit;
  compare::ComparisonOptions options{.per = std::nullopt, .counter = per.counter};
  if (per.unit == Unit::share) options.per = compare::Per::share;
  if (per.unit == Unit::second) options.per = compare::Per::second;
  if (per.unit == Unit::run) options.per = compare::Per::run;
  if (per.unit == Unit::counter) options.per = compare::Per::counter;
  return options;
}

// Modules are compared by name, even if --module has a path.
void choose_units(stacks::StackFilter filter, compare::ComparisonOptions& options) {
  options.symbol = std::move(filter.symbol);
  if (filter.modules.empty()) return;
  for (std::string& module : filter.modules) module = std::string(text::base_name(module));
  options.module = [modules = std::move(filter.modules)](std::string_view module) {
    return std::find(modules.begin(), modules.end(), module) != modules.end();
  };
}

// The divisor of the totals, in words.
std::string totals_per(const request::CostPer& per) {
  if (per.unit == request::CostPer::Unit::second) return "per second";
  return per.unit == request::CostPer::Unit::counter ? "per count of " + per.counter : std::string();
}

diag::Result<void> write_files(const compare::Comparison& comparison, const std::vector<compare::Verdict>& verdicts,
                               const report::DiffOptions& shown, const ComparisonOptions& options,
                               diag::Console& console) {
  const request::Comparison& asked = options.asked;
  diag::FirstFailure written;
  if (asked.junit_file.has_value()) {
    written.add(
        output::write_named_output(*asked.junit_file, report::gate_junit(verdicts), options.report.outputs, console));
  }
  if (asked.markdown_file.has_value()) {
    written.add(output::write_named_output(*asked.markdown_file, report::diff_markdown(comparison, verdicts, shown),
                                           options.report.outputs, console));
  }
  return std::move(written).result();
}

// GitHub reads both streams of a job, so annotations go to stderr if stdout is a document.
void annotate(const std::vector<compare::Verdict>& verdicts, const ComparisonOptions& options, diag::Console& console) {
  std::string lines = report::gate_annotations(verdicts);
  if (lines.empty()) return;
  if (!options.stdout_is_document) {
    console.document(lines);
    return;
  }
  lines.pop_back();  // warn() adds the last line end
  console.warn(lines);
}

// "old.data", or "5 files".
std::string side_text(const std::vector<std::string>& files) {
  return files.size() == 1 ? files.front() : fmt::format("{} files", files.size());
}

// Writes the stacks of both sides as a page, an SVG image and folded stacks.
diag::Result<void> write_stacks(const compare::StackChanges& changes, const compare::Comparison& comparison,
                                const ComparisonOptions& options, diag::Console& console) {
  if (options.report.folded) console.document(compare::folded_changes(changes));
  diag::FirstFailure written;
  if (options.report.pages.html_file.has_value()) {
    const std::string page = html::difference_page(comparison, changes,
                                                   {.rows = options.report.tables.rows,
                                                    .version = measure::tool_version(),
                                                    .totals_per = totals_per(options.asked.per)});
    written.add(write_page(*options.report.pages.html_file, page, options.report.outputs, console));
  }
  if (!options.report.pages.svg_file.has_value()) return std::move(written).result();
  const std::string picture = html::svg_difference(
      changes, {.before = side_text(comparison.files_before), .after = side_text(comparison.files_after)});
  written.add(write_page(*options.report.pages.svg_file, picture, options.report.outputs, console));
  return std::move(written).result();
}

// A gate without a decision must not pass. Failures are also reported on stderr, for the log of a job that writes the
// answer to a file.
diag::Result<int> status_of(const std::vector<compare::Verdict>& verdicts, const compare::Comparison& comparison,
                            diag::Console& console) {
  using Kind = compare::Verdict::Kind;
  std::string failed;
  for (const compare::Verdict& verdict : verdicts) {
    if (verdict.kind != Kind::failed) continue;
    failed += (failed.empty() ? "" : ", ") + verdict.condition;
    if (!verdict.name.empty()) failed += fmt::format(" ({})", verdict.name);
  }
  if (!failed.empty()) {
    console.warn("failed: " + failed);
    return static_cast<int>(diag::ExitCode::gate_failed);
  }
  for (const compare::Verdict& verdict : verdicts) {
    if (verdict.kind != Kind::unknown) continue;
    std::string totals;
    for (const compare::TotalChange& total : comparison.totals) totals += (totals.empty() ? "" : ", ") + total.event;
    // A name that does not exist is a usage error, as in `bench`, which checks names before anything runs.
    const bool is_misnamed = verdict.is_misnamed && !totals.empty();
    return diag::Error{.text = fmt::format("cannot evaluate the condition '{}': {}", verdict.condition, verdict.why),
                       .hint = is_misnamed ? "available: " + totals : std::string(),
                       .code = verdict.is_misnamed ? diag::ExitCode::usage : diag::ExitCode::failed};
  }
  return 0;
}

}  // namespace

diag::Result<int> show_comparison(std::vector<compare::RunCosts> before, std::vector<compare::RunCosts> after,
                                  const ComparisonOptions& options, diag::Console& console) {
  const bool were_copies = compare::remove_identical_runs(before, after);
  compare::ComparisonOptions compared = comparison_options(options.asked.per);
  choose_units(options.report.tables.filter, compared);
  compared.open = compare::code_of_builds(options.report.read.symbols, compare::FileDetail::names);
  WPERF_TRY(compare::Comparison comparison, compare::compare_runs(before, after, compared));
  if (were_copies) {
    comparison.notes.emplace_back(
        "All recordings of a side are identical, as from a deterministic machine; they count as one. To get different "
        "ones, use --jitter or another seed= of the simulated machine.");
  }
  compare::review_totals(comparison, compared);
  diag::FirstFailure written;
  if (options.report.pages.wanted() || options.report.folded) {
    const auto changes = compare::merge_stacks(before, after, comparison.matched, compared);
    written.add(changes.has_value() ? write_stacks(changes.value(), comparison, options, console) : changes.error());
  }
  std::vector<compare::Verdict> verdicts = compare::judge(comparison, options.asked.conditions);
  const report::DiffOptions shown{.rows = options.report.tables.rows,
                                  .verbose = options.report.outputs.verbose,
                                  .coloured = console.coloured(),
                                  .width = console.animated() ? console.width() : 0,
                                  .totals_per = totals_per(options.asked.per)};
  if (options.prints_text) {
    std::string text = report::diff_text(comparison, shown);
    if (!verdicts.empty()) text += '\n' + report::gate_text(verdicts);
    console.out(text);
  }
  if (options.report.brief.has_value()) {
    output::deliver_brief(options.report.outputs, brief::of_comparison(comparison, verdicts, *options.report.brief),
                          console);
  }
  if (options.asked.annotations) {
    compare::find_sources(comparison, after,
                          compare::code_of_builds(options.report.read.symbols, compare::FileDetail::lines), verdicts);
    annotate(verdicts, options, console);
  }
  if (output::wants_json(options.report.outputs)) {
    written.add(output::deliver_json(options.report.outputs, report::diff_json(comparison, verdicts, shown), console));
  }
  written.add(write_files(comparison, verdicts, shown, options, console));
  WPERF_CHECK_OK(std::move(written).result());
  return status_of(verdicts, comparison, console);
}

}  // namespace wperf::show
