// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ground/text/unicode.h"
#include "views/report/diff_report.h"
#include "views/report/escaping.h"

namespace wperf::report {
namespace {

using compare::Comparison;
using compare::EventChange;
using compare::UnitChange;
using compare::Verdict;

std::string_view verdict_word(Verdict::Kind kind) {
  return kind == Verdict::Kind::passed   ? "passed"
         : kind == Verdict::Kind::failed ? "FAILED"
         : kind == Verdict::Kind::unsure ? "not sure"
                                         : "not judged";
}

// Escapes text for commands of GitHub: these are single lines, and a property also ends at a comma or colon.
std::string command_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<u8>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

// Escapes text for a table cell, so that no character acts as markup.
std::string markdown_cell(std::string_view text) {
  std::string lines(text), out;
  std::replace_if(lines.begin(), lines.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  for (usize at = 0; at < lines.size();) {
    const auto first = static_cast<u8>(lines[at]);
    const usize length = first < 0x80 ? 1 : text::decode_utf8(std::string_view(lines).substr(at)).length;
    const std::string_view one = std::string_view(lines).substr(at, length);
    at += length;
    if (one == "@") {
      out += "&#64;";  // otherwise GitHub would notify a user with that name
    } else if (one == "'" || one == "\"") {
      out += one;
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~").find(one) != std::string_view::npos) out += '\\';
      out += markup_text(one);
    }
  }
  return out;
}

namespace {

void append_markdown_rows(std::string& out, const EventChange& event, const std::vector<UnitChange>& rows,
                          std::string_view title, const DiffOptions& options) {
  const auto is_unsure = [](const UnitChange& row) { return !row.is_significant; };
  const auto found = static_cast<usize>(std::find_if(rows.begin(), rows.end(), is_unsure) - rows.begin());
  if (found == 0) return;
  out += '\n';
  append_markdown(out, table_of(std::span(rows).first(std::min<usize>(found, options.rows)),
                                [&](Columns& to, const UnitChange& row) {
                                  const bool is_module = row.kind == compare::UnitKind::module;
                                  to.string({title}, markdown_cell(is_module ? row.module : row.name) +
                                                         (row.note.empty() ? "" : markdown_cell("; " + row.note)));
                                  ChangeColumns{event, DiffFace::markdown}(to, row);
                                }));
}

}  // namespace

std::string gate_text(const std::vector<Verdict>& verdicts) {
  std::string out;
  for (const Verdict& verdict : verdicts)
    out += fmt::format("{}: {}: {}\n", verdict_word(verdict.kind), verdict.condition, verdict.why);
  return out;
}

std::string gate_junit(const std::vector<Verdict>& verdicts) {
  const auto count = [&](Verdict::Kind kind) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& one) { return one.kind == kind; });
  };
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"wperf\" tests=\"{}\" "
      "failures=\"{}\" "
      "errors=\"{}\">\n",
      verdicts.size(), count(Verdict::Kind::failed), count(Verdict::Kind::unknown));
  for (const Verdict& verdict : verdicts) {
    const std::string& on = verdict.name;
    out += fmt::format("    <testcase classname=\"wperf\" name=\"{}\"",
                       markup_text(on.empty() ? verdict.condition : verdict.condition + ": " + on));
    const std::string why = markup_text(verdict.why);
    if (verdict.kind == Verdict::Kind::passed || verdict.kind == Verdict::Kind::unsure) {
      out += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", why);
      continue;
    }
    const std::string_view element = verdict.kind == Verdict::Kind::failed ? "failure" : "error";
    out += fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n", element, why);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string gate_annotations(const std::vector<Verdict>& verdicts) {
  std::string out;
  for (const Verdict& verdict : verdicts) {
    if (verdict.kind == Verdict::Kind::passed) continue;
    std::string place;
    if (verdict.source.has_value())
      place = fmt::format("file={},line={},", command_text(verdict.source->file, true), verdict.source->line);
    const std::string_view level = verdict.kind == Verdict::Kind::failed   ? "error"
                                   : verdict.kind == Verdict::Kind::unsure ? "notice"
                                                                           : "warning";
    out += fmt::format("::{} {}title={}::{}\n", level, place, command_text("wperf: " + verdict.condition, true),
                       command_text(verdict.why, false));
  }
  return out;
}

std::string diff_markdown(const Comparison& comparison, const std::vector<Verdict>& verdicts,
                          const DiffOptions& options) {
  std::string out = "## What changed\n\n" + markdown_cell(sides_text(comparison)) + '\n';
  if (const std::string headline = headline_text(comparison); !headline.empty())
    out += "\n**" + markdown_cell(headline) + "**\n";
  if (!verdicts.empty()) {
    out += "\n| condition | verdict | why |\n|---|---|---|\n";
    for (const Verdict& verdict : verdicts)
      out += fmt::format("| {} | {} | {} |\n", markdown_cell(verdict.condition), verdict_word(verdict.kind),
                         markdown_cell(verdict.why));
  }
  if (!comparison.totals.empty()) {
    out += '\n';
    append_markdown(out, table_of(comparison.totals, TotalColumns{comparison, DiffFace::markdown}));
    if (!options.totals_per.empty()) out += "\nTotals are " + markdown_cell(options.totals_per) + ".\n";
  }
  for (const EventChange& event : comparison.events) {
    out += fmt::format("\n### {} ({})\n", markdown_cell(event.event), per_words(event.per));
    append_markdown_rows(out, event, event.modules, "module", options);
    append_markdown_rows(out, event, event.functions, "function", options);
    append_markdown_rows(out, event, event.inclusive, "function including its callees", options);
    append_markdown_rows(out, event, event.lines, "line", options);
    out += '\n' + sensitivity_text(event) + '\n';
  }
  for (const std::string& note : comparison.notes) out += "\n" + markdown_cell(note) + '\n';
  return out;
}

}  // namespace wperf::report
