// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.9: counting as in `stat`, directly followed by sections as in `record`. Additional tables of wperf come
// after the sections.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/sample_tables.h"
#include "views/report/spe_report.h"
#include "views/report/spe_tables.h"

namespace wperf::report {
namespace {

void append_shared(std::vector<MemoryPart>& parts, const operations::SpeProfile& profile, const SpeOptions& options) {
  const std::vector<operations::SharedLine>& lines = profile.memory->shared;
  const usize shown = std::min<usize>(lines.size(), options.memory_rows);
  for (usize i = 0; i < shown; ++i) {
    const operations::SharedLine& line = lines[i];
    MemoryPart part;
    if (i == 0) part.heading = "memory: lines that threads may be fighting over (false sharing)";
    part.before = fmt::format("cache line 0x{:x}: {} hits by {} threads, {} refills, {} from peers, mean {} cycles{}",
                              line.address, text::with_commas(line.hits), line.threads, text::with_commas(line.refills),
                              text::with_commas(line.peer), text::fixed(line.mean_latency, 1),
                              line.same_offset ? "; they also use the same offset" : "");
    part.table = sharing_table(profile, line);
    if (line.without_place != 0)
      part.behind = fmt::format("and {} hits elsewhere", text::with_commas(line.without_place));
    parts.push_back(std::move(part));
  }
  if (shown < lines.size()) {
    parts.push_back({.before = fmt::format("and {} more such lines", lines.size() - shown)});
  }
}

}  // namespace

std::vector<MemoryPart> memory_parts(const operations::SpeProfile& profile, const SpeOptions& options) {
  std::vector<MemoryPart> parts;
  if (!profile.memory.has_value()) return parts;
  const operations::MemoryProfile& memory = *profile.memory;
  const auto add = [&parts](std::string_view heading, Table table) {
    if (!table.rows.empty()) parts.push_back({.heading = std::string(heading), .table = std::move(table)});
  };
  add("memory: where data came from", source_table(memory));
  add("memory: latencies in cycles", latency_table(memory));
  add("memory: by function", access_symbol_table(profile, options));
  add("memory: by line", access_line_table(profile, options));
  add("memory: by page of data", page_table(memory, options));
  add("memory: by cache line of data", data_line_table(profile, options));
  append_shared(parts, profile, options);
  add("memory: page table walks", walk_table(profile, options));
  add("mispredicted branches", branch_table(profile, options));
  return parts;
}

std::string memory_text(const operations::SpeProfile& profile, const SpeOptions& options) {
  std::string out;
  for (const MemoryPart& part : memory_parts(profile, options)) {
    out += '\n';
    if (!part.heading.empty()) append_heading(out, part.heading);
    if (!part.before.empty()) append_line_within(out, part.before, options.width);
    if (!part.table.columns.empty()) append_table_within(out, part.table, options.width);
    if (!part.behind.empty()) out += "      " + part.behind + '\n';
  }
  return out;
}

std::string spe_text(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options) {
  std::string out;
  if (counting != nullptr) {
    out = count_text(*counting, {.verbose = options.samples.verbose, .elapsed = false});
  }
  SampleOptions samples = options.samples;
  if (profile.population.has_value() && profile.population->chosen != 0 && profile.population->recorded == 0)
    samples.why_none = "no selected operation passed the filters";
  out += sample_text(view, samples);
  if (options.memory) out += memory_text(profile, options);
  const std::vector<std::string> notes = spe_notes(profile, options);
  if (!notes.empty()) out += '\n';
  for (const std::string& note : notes) out += "note: " + note + '\n';
  return out;
}

}  // namespace wperf::report
