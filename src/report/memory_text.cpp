// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/memory_tables.h"
#include "report/narrow_table.h"
#include "report/number_text.h"
#include "report/sample_tables.h"
#include "report/spe_report.h"

namespace wperf::report {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Nothing of a table without rows.
void append_memory_table(std::string& out, std::string_view what, const Table& table, usize width) {
  if (table.rows.empty()) return;
  out += '\n';
  append_heading(out, what);
  append_table_within(out, table, width);
}

void append_shared(std::string& out, const profile::SpeProfile& profile, const SpeOptions& options) {
  const std::vector<profile::SharedLine>& lines = profile.memory->shared;
  if (lines.empty()) return;
  out += '\n';
  append_heading(out, "memory: lines that threads may be fighting over (false sharing)");
  const usize shown = std::min<usize>(lines.size(), options.memory_rows);
  for (usize i = 0; i < shown; ++i) {
    const profile::SharedLine& line = lines[i];
    if (i != 0) out += '\n';
    append_line_within(
        out,
        fmt::format("cache line 0x{:x}: {} hits by {} threads, {} refills, {} from peers, mean {} cycles{}",
                    line.address, with_commas(line.hits), line.threads, with_commas(line.refills),
                    with_commas(line.peer), fixed(line.mean_latency, 1),
                    line.same_offset ? "; they also meet at one offset" : ""),
        options.width);
    append_table_within(out, sharing_table(profile, line), options.width);
    if (line.without_place != 0) {
      fmt::format_to(Out(out), "      and {} hits at other places\n", with_commas(line.without_place));
    }
  }
  if (shown < lines.size()) fmt::format_to(Out(out), "\nand {} more such lines\n", lines.size() - shown);
}

}  // namespace

std::string memory_text(const profile::SpeProfile& profile, const SpeOptions& options) {
  std::string out;
  if (!profile.memory.has_value()) return out;
  const profile::MemoryProfile& memory = *profile.memory;
  append_memory_table(out, "memory: where data came from", source_table(memory), options.width);
  append_memory_table(out, "memory: latencies in cycles", latency_table(memory), options.width);
  append_memory_table(out, "memory: by function", access_symbol_table(profile, options), options.width);
  append_memory_table(out, "memory: by line", access_line_table(profile, options), options.width);
  append_memory_table(out, "memory: by page of data", page_table(memory, options), options.width);
  append_memory_table(out, "memory: by cache line of data", data_line_table(profile, options), options.width);
  append_shared(out, profile, options);
  append_memory_table(out, "memory: page table walks", walk_table(profile, options), options.width);
  append_memory_table(out, "branches that were mispredicted", branch_table(profile, options), options.width);
  return out;
}

}  // namespace wperf::report
