// SPDX-License-Identifier: BSD-3-Clause
// The tables of `--mem` for text and JSON, and the notes on an SPE run.
#pragma once
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "views/report/spe_report.h"
#include "views/report/table.h"

namespace wperf::report {

// Loads and stores by the level that served them, with their latency and their share of all waiting.
Table source_table(const operations::MemoryProfile& memory);
// A chart of latencies by powers of two, with a column for each source.
Table latency_table(const operations::MemoryProfile& memory);
// The same data for JSON: one row for each source and range.
Table latency_rows(const operations::MemoryProfile& memory);
Table access_symbol_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table access_line_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table page_table(const operations::MemoryProfile& memory, const SpeOptions& options);
Table data_line_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table walk_table(const operations::SpeProfile& profile, const SpeOptions& options);
Table branch_table(const operations::SpeProfile& profile, const SpeOptions& options);
// The places of a line that threads may compete for.
Table sharing_table(const operations::SpeProfile& profile, const operations::SharedLine& line);

// All tables, in the order of text and pages.
struct MemoryPart {
  std::string heading = {};  // empty: the table belongs to the previous part
  std::string before = {}, behind = {};
  Table table = {};
};
std::vector<MemoryPart> memory_parts(const operations::SpeProfile& profile, const SpeOptions& options);

// Facts about an SPE run that a reader must know to interpret its numbers: how operations were chosen, how many were
// lost, which facts the core does not record. Whole sentences, the most important first, without "note: ".
std::vector<std::string> spe_notes(const operations::SpeProfile& profile, const SpeOptions& options = {});

}  // namespace wperf::report
