// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/branch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ground/text/number_text.h"
#include "views/report/document_version.h"
#include "views/report/stack_report.h"
#include "views/report/table.h"

namespace wperf::report {
namespace {

using stacks::BranchEdge;
using stacks::BranchEdges;
using stacks::StackProfile;

double mean_cycles(const BranchEdge& edge) {
  return edge.timed == 0 ? 0 : static_cast<double>(edge.cycles) / static_cast<double>(edge.timed);
}

class EdgeColumns {
 public:
  EdgeColumns(const StackProfile& profile, const BranchEdges& edges, const BranchOptions& options)
      : profile_(profile),
        all_(edges.all),
        whole_(options.relative ? edges.all.taken : edges.recorded),
        lines_(options.lines) {
    for (const BranchEdge& edge : edges.rows) {
      const u32 first = function(edges.rows.front().from).module;
      if (function(edge.from).module != first || function(edge.to).module != first) has_modules_ = true;
    }
  }

  void operator()(Columns& to, const BranchEdge& edge) const {
    const double share = text::percent_of(edge.taken, whole_);
    to.add({"%", "percent"}, Decimals{share, 2}, text::fixed(share, 2));
    to.count({"count", "count"}, edge.taken);
    if (all_.judged != 0) {
      const double wrong = text::percent_of(edge.mispredicted, edge.judged);
      to.member("mispredicted", edge.mispredicted);
      to.member("judged", edge.judged);
      to.add({"mispredicted"}, 0.0, edge.judged == 0 ? "-" : text::fixed(wrong, 2) + " %");
    }
    if (all_.timed != 0)
      to.add({"cycles", "mean_cycles"}, Decimals{mean_cycles(edge), 1},
             edge.timed == 0 ? "-" : text::fixed(mean_cycles(edge), 1));
    add_end(to, {"from", "from_module", "from_line"}, edge.from);
    add_end(to, {"to", "to_module", "to_line"}, edge.to);
  }

 private:
  struct EndNames {
    std::string_view function, module, line;
  };
  const stacks::StackFunction& function(u32 place) const {
    static const stacks::StackFunction kNone;
    return place == stacks::kNothing ? kNone : profile_.functions[profile_.places[place].function];
  }
  void add_end(Columns& to, const EndNames& names, u32 place) const {
    const bool is_known = place != stacks::kNothing;  // false for the row that is used only for titles
    const stacks::StackFunction& at = function(place);
    const std::string_view module = is_known ? std::string_view(profile_.modules[at.module].name) : std::string_view();
    const bool has_line = is_known && profile_.places[place].line != stacks::kNothing;
    const std::string_view line =
        has_line ? std::string_view(profile_.lines[profile_.places[place].line]) : std::string_view();
    std::string shown = (at.is_kernel ? "[k] " : "") + at.name;
    if (lines_ && has_line) shown += fmt::format(" {}", line);
    if (has_modules_) shown += fmt::format(" [{}]", module);
    to.add({.text = names.function, .key = names.function, .may_be_cut = true}, at.name, std::move(shown));
    to.member(names.module, module);
    if (lines_ && has_line) to.member(names.line, line);
  }

  const StackProfile& profile_;
  const BranchEdge& all_;
  u64 whole_;                         // 100 %
  bool lines_, has_modules_ = false;  // there are several modules
};

std::string headline(const BranchEdges& edges, bool of_spe) {
  const bool is_part = edges.all.taken != edges.recorded;
  std::string out = is_part ? text::with_commas(edges.all.taken) + " of " : "";
  out += fmt::format("{} taken branch{}", text::with_commas(edges.recorded), edges.recorded == 1 ? "" : "es");
  if (of_spe) out += " among the sampled operations";
  if (edges.all.judged != 0)
    out +=
        fmt::format(", {} % mispredicted", text::fixed(text::percent_of(edges.all.mispredicted, edges.all.judged), 2));
  if (edges.all.timed == 0) return out;
  const std::string cycles = text::fixed(mean_cycles(edges.all), 1);
  out += of_spe ? fmt::format(", latency {} cycles on average", cycles)
                : fmt::format(", one in {} cycles on average", cycles);
  return out;
}

}  // namespace

std::string branches_text(const StackProfile& profile, const BranchOptions& options) {
  const BranchEdges edges = stacks::branch_edges(profile, options.filter);
  std::string out;
  append_line_within(out, headline(edges, options.of_spe), options.width);
  out += '\n';
  const usize shown = std::min<usize>(options.rows, edges.rows.size());
  append_fitted_table(out, table_of(std::span(edges.rows).first(shown), EdgeColumns(profile, edges, options)),
                      options.width, {});
  if (edges.rows.size() > shown)
    fmt::format_to(std::back_inserter(out), "… and {} more: --sample-display-row {}\n",
                   text::with_commas(edges.rows.size() - shown), edges.rows.size());
  std::string notes = stack_losses_text(profile, "note: ");
  for (const std::string& line : name_notes(profile)) notes += "note: " + line + '\n';
  for (const std::string& line : filter_notes(profile, options.filter)) notes += "note: " + line + '\n';
  if (!notes.empty()) out += '\n' + notes;
  return out;
}

std::string branches_json(const StackProfile& profile, const BranchOptions& options) {
  const BranchEdges edges = stacks::branch_edges(profile, options.filter);
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_object("branches");
  json.string("file", profile.file);
  json.string("source", options.of_spe ? "SPE" : "branch stacks");
  json.integer("taken", edges.all.taken);
  json.integer("taken_in_all", edges.recorded);
  json.integer("judged", edges.all.judged);
  json.integer("mispredicted", edges.all.mispredicted);
  json.integer("timed", edges.all.timed);
  json.integer("cycles", edges.all.cycles);
  write_rows(json, "edges", edges.rows, EdgeColumns(profile, edges, options));
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace wperf::report
