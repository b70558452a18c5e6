// SPDX-License-Identifier: BSD-3-Clause
// The tables of `--mem`, which text and JSON share, its JSON, and the notes about an SPE run.
#pragma once
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "ground/text/json_writer.h"
#include "views/report/spe_report.h"
#include "views/report/table.h"

namespace wperf::report {

// Loads and stores by the level that the data came from, with their latency and their share of all waiting.
Table source_table(const operations::MemoryProfile& memory);
// Latencies by power of two, a column for each source, as a picture.
Table latency_table(const operations::MemoryProfile& memory);
// The same for programs: one row per source and range.
Table latency_rows(const operations::MemoryProfile& memory);
Table access_symbol_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table access_line_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table page_table(const operations::MemoryProfile& memory, const SpeOptions& options);
Table data_line_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table walk_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table branch_table(const operations::SpeProfile& profile, const SpeOptions& options);
// The places of one line that threads may be fighting over.
Table sharing_table(const operations::SpeProfile& profile, const operations::SharedLine& line);

// All tables, in the order in which text and pages show them.
struct MemoryPart {
  std::string heading = {};  // empty: the part continues the one before
  std::string before = {}, behind = {};
  Table table = {};
};
std::vector<MemoryPart> memory_parts(const operations::SpeProfile& profile, const SpeOptions& options);

// The value of "memory" in JSON.
void write_memory(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options);

// Facts that a reader must know about an SPE run before believing its numbers: how operations were chosen, how many
// were lost, which facts the core does not record. Sentences, most important first; without "note: ".
std::vector<std::string> spe_notes(const operations::SpeProfile& profile);

}  // namespace wperf::report
