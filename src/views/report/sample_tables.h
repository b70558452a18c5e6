// SPDX-License-Identifier: BSD-3-Clause
// Tables of samples that text and JSON share: hot functions (contract 9.2), their lines and instructions, and
// wperf's own --by.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "views/compat/compat_rows.h"
#include "views/report/sample_report.h"
#include "views/report/table.h"

namespace wperf::report {

// "======================== what ========================"
void append_heading(std::string& out, std::string_view what);

// Which rows of an event are shown, and the numbers in the total line.
struct ShownRows {
  std::vector<const compat::SymbolRow*> rows;  // the ones that pass the filter, at most SampleOptions::rows
  u32 total_rows = 0;                          // the total line counts the hottest rows whether they pass or not
  u64 total_count = 0;
};
ShownRows shown_rows(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options);

double percent(u64 part, u64 whole);
bool has_samples(const compat::CompatView& view);

Table symbol_table(const compat::CompatView& view, const compat::SampledEvent& event, const ShownRows& shown);
// At most SampleOptions::rows rows; for callers, only those of the shown functions.
Table breakdown_table(const compat::CompatView& view, const compat::SampledEvent& event, request::Breakdown breakdown,
                      const SampleOptions& options);
// "process", "thread", …
std::string_view breakdown_name(request::Breakdown breakdown);

// The losses of each core and their reasons. Without rows if there were none.
Table loss_table(const compat::CompatView& view);

// One sentence per module whose names are not the best there are, weighted by samples, most first:
// "12.3 % of samples in ntdll.dll: no PDB found …".
struct SymbolNote {
  u32 module = 0;
  double percent = 0;  // of all samples
};
std::vector<SymbolNote> symbol_notes(const compat::CompatView& view);

// Source lines and instructions of one symbol (contract 9.6, 9.7).
bool is_annotated(const compat::CompatView& view, const compat::SymbolRow& row);

Table annotation_table(const compat::CompatView& view, const compat::SymbolRow& row, const SampleOptions& options);
// Which functions the hits of the lines are inlined from. Without rows if none are.
Table inlined_table(const compat::CompatView& view, const compat::SymbolRow& row);

// The low 24 bits of the file's virtual address, as the contract spells addresses of code.
std::string code_address(const compat::CompatView& view, u32 module, u32 rva);
// "b.ne  0x180001038 <mul+0x24>"
std::string instruction_text(const compat::Instruction& instruction);

}  // namespace wperf::report
