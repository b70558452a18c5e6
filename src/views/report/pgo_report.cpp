// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/pgo_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "views/report/document_version.h"

namespace wperf::report {
namespace {

using text::with_commas;

struct Part {
  u64 count;
  std::string_view key, words;
};

std::vector<Part> nonzero(std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& part) { return part.count == 0; });
  return parts;
}

// Samples that are not in the profile, by cause.
std::vector<Part> unused_samples(const pgo::ProfileFacts& facts) {
  return nonzero({{facts.of_other_events, "other_events", "of other events"},
                  {facts.drops.kernel, "kernel", "in the kernel"},
                  {facts.of_other_binaries, "other_binaries", "in other binaries"},
                  {facts.of_other_builds, "other_builds", "in other builds of the file"},
                  {facts.drops.jit_code, "made_code", "in code made at run time"},
                  {facts.drops.nowhere, "nowhere", "outside of all mappings"},
                  {facts.without_address, "no_file", "in files of a different build, or missing on this machine"},
                  {facts.without_build, "no_build", "in modules without a GUID"},
                  {facts.without_symbol, "no_symbol", "in code without a symbol"}});
}

std::vector<Part> unused_branches(const pgo::ProfileFacts& facts) {
  const pgo::Drops& drops = facts.drops;
  return nonzero(
      {{facts.has_branches ? facts.of_other_binaries : 0, "other_binaries", "branches in other binaries"},
       {facts.has_branches ? facts.of_other_builds : 0, "other_builds", "branches in other builds of the file"},
       {drops.branches_without_file, "branches_no_file",
        "branches in files of a different build, or missing on this machine"},
       {drops.branches_elsewhere, "branches_elsewhere", "branches to or from the kernel or another binary"}});
}

std::vector<Part> unused_stacks(const pgo::ProfileFacts& facts) {
  const pgo::Drops& drops = facts.drops;
  return nonzero(
      {{facts.has_branches ? facts.without_stack : 0, "without_stack", "samples in recordings without branch stacks"},
       {drops.call_stacks, "call_stacks", "stacks of calls instead of branches"},
       {drops.ranges_elsewhere, "ranges_elsewhere", "ranges that end elsewhere"},
       {drops.ranges_backwards, "ranges_backwards", "ranges that end before they begin"},
       {drops.ranges_across_functions, "ranges_across_functions", "ranges across functions"}});
}

std::string listed(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", with_commas(part.count), part.words);
  }
  return out;
}

std::string density_text(const pgo::Judgement& judgement) {
  if (judgement.hot_functions == 0) return "density: unknown, because the bounds of its functions are unknown\n";
  const std::string thinnest =
      fmt::format("{} counts per instruction in {}, the lowest of {}", text::fixed(judgement.density, 2),
                  judgement.thinnest, text::counted(judgement.hot_functions, "hot function"));
  if (judgement.longer == 0) return fmt::format("density: {}; that is enough\n", thinnest);
  return fmt::format("density: {}; record {:.0f} times longer or more often\n", thinnest, std::ceil(judgement.longer));
}

}  // namespace

std::string pgo_text(const pgo::ProfileFacts& facts) {
  const pgo::Judgement& judgement = facts.judgement;
  const std::string_view thing = facts.has_branches ? "branch" : "sample";
  std::string out = fmt::format("{}: {} {}{} of {}", facts.file, with_commas(facts.used), thing,
                                facts.used == 1      ? ""
                                : facts.has_branches ? "es"
                                                     : "s",
                                facts.program.empty() ? text::counted(facts.modules, "module") : facts.program);
  if (judgement.functions != 0) out += ", " + text::counted(judgement.functions, "function");
  if (!judgement.hottest.empty()) {
    out += fmt::format("; hottest: {}, {} %", judgement.hottest, text::fixed(judgement.hottest_percent, 2));
  }
  out += '\n';
  if (!facts.events.empty()) out += fmt::format("counted: {}\n", text::joined(facts.events, ", "));
  if (facts.branches + facts.calls != 0) {
    out += fmt::format("also: {} taken branches, {} calls from call stacks\n", with_commas(facts.branches),
                       with_commas(facts.calls));
  }
  if (const auto parts = unused_samples(facts); !parts.empty() && !facts.has_branches) {
    out += fmt::format("not used: {} (of {})\n", listed(parts), text::counted(facts.samples, "sample"));
  }
  if (const auto parts = unused_branches(facts); !parts.empty()) {
    const std::string whole =
        facts.all_branches != 0 ? fmt::format(" (of {} branches)", with_commas(facts.all_branches)) : "";
    out += fmt::format("not used: {}{}\n", listed(parts), whole);
  }
  if (const auto parts = unused_stacks(facts); !parts.empty()) {
    const std::string whole =
        facts.branch_stacks != 0 ? fmt::format(" (of {})", text::counted(facts.branch_stacks, "branch stack")) : "";
    out += fmt::format("not used: {}{}\n", listed(parts), whole);
  }
  const auto percent = [&](u64 part) { return text::fixed(text::percent_of(part, facts.instructions), 2); };
  if (facts.without_line != 0) {
    out += fmt::format("without a line: {} % of the counts, in code without debug information\n",
                       percent(facts.without_line));
  }
  if (facts.without_name != 0) {
    out += fmt::format(
        "without a name: {} % of the counts, in functions without a linker name or declaration in the debug "
        "information\n",
        percent(facts.without_name));
  }
  if (facts.from_first_line != 0) {
    out += fmt::format(
        "not sure: {} % of the counts, in functions whose declaration line is unknown, because the debug information "
        "and the source files (--symbol-path) lack it; their lines count from the first line with code\n",
        percent(facts.from_first_line));
  }
  if (facts.undecodable != 0) {
    out += fmt::format("not decoded: {}; wperf does not know the instructions there\n",
                       text::counted(facts.undecodable, "piece") + " of code");
  }
  for (const std::string& loss : facts.losses) out += loss + '\n';
  out += density_text(judgement);
  return out + "next: " + facts.next + '\n';
}

std::string pgo_json(const pgo::ProfileFacts& facts) {
  const pgo::Judgement& judgement = facts.judgement;
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_object("pgo");
  json.string("file", facts.file);
  json.string("format", request::pgo_format_name(facts.format));
  json.string("program", facts.program);
  json.integer("modules", facts.modules);
  json.begin_array("events");
  for (const std::string& event : facts.events) json.string(event);
  json.end_array();
  json.integer("samples", facts.samples);
  json.integer("branch_stacks", facts.branch_stacks);
  json.integer("used", facts.used);
  json.integer("branches", facts.branches);
  json.integer("calls", facts.calls);
  json.integer("all_branches", facts.all_branches);
  json.begin_object("not_used");
  for (const Part& part : facts.has_branches ? std::vector<Part>() : unused_samples(facts)) {
    json.integer(part.key, part.count);
  }
  for (const Part& part : unused_branches(facts)) json.integer(part.key, part.count);
  for (const Part& part : unused_stacks(facts)) json.integer(part.key, part.count);
  json.end_object();
  json.begin_array("losses");
  for (const std::string& loss : facts.losses) json.string(loss);
  json.end_array();
  json.integer("instructions", facts.instructions);
  json.integer("without_line", facts.without_line);
  json.integer("without_name", facts.without_name);
  json.integer("from_first_line", facts.from_first_line);
  json.integer("undecodable", facts.undecodable);
  json.integer("functions", judgement.functions);
  json.integer("hot_functions", judgement.hot_functions);
  json.integer("outside_of_functions", judgement.outside);
  json.string("hottest", judgement.hottest);
  json.real("hottest_percent", judgement.hottest_percent);
  json.string("thinnest", judgement.thinnest);
  json.real("density", judgement.density);
  json.real("record_times_longer", judgement.longer);
  json.string("next", facts.next);
  json.end_object();
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace wperf::report
