// SPDX-License-Identifier: BSD-3-Clause
// Tables of samples for text and JSON: hot functions (contract 9.2), their lines and instructions, and wperf's --by.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "views/compat/compat_rows.h"
#include "views/report/sample_report.h"
#include "views/report/table.h"

namespace wperf::report {

// Appends "======================== what ========================"
void append_heading(std::string& out, std::string_view what);

// The rows of an event that are shown, and the numbers of the total line.
struct ShownRows {
  std::vector<const compat::SymbolRow*> rows;  // rows that pass the filter, at most SampleOptions::rows
  // the total line counts the hottest rows, with or without passing the filter
  u32 total_rows = 0;
  u64 total_count = 0;
};
ShownRows shown_rows(const compat::CompatView& view, const compat::SampledEvent& event, const SampleOptions& options);

bool has_samples(const compat::CompatView& view);

struct HotFunction {
  double overhead = 0;  // in percent
  u64 count = 0;
  std::string symbol;
};
std::vector<HotFunction> hot_functions(const compat::CompatView& view, const compat::SampledEvent& event,
                                       const ShownRows& shown);
void hot_function_columns(Columns& to, const HotFunction& row);
// Has at most SampleOptions::rows rows. The table of callers has only callers of functions that are shown.
Table breakdown_table(const compat::CompatView& view, const compat::SampledEvent& event, request::Breakdown breakdown,
                      const SampleOptions& options);
// "process", "thread", …
std::string_view breakdown_name(request::Breakdown breakdown);

// The losses of each core with their reasons. Has no rows if there were no losses.
Table loss_table(const compat::CompatView& view);

// One sentence for each module that could have better names, ordered by samples: "12.3 % of samples in ntdll.dll: no
// PDB found …".
struct SymbolNote {
  u32 module = 0;
  double percent = 0;  // of all samples
};
std::vector<SymbolNote> symbol_notes(const compat::CompatView& view);

// Source lines and instructions of one symbol (contract 9.6, 9.7).
bool is_annotated(const compat::CompatView& view, const compat::SymbolRow& row);

Table annotation_table(const compat::CompatView& view, const compat::SymbolRow& row, const SampleOptions& options);
// The inlined functions that have hits of this row's lines. Has no rows if there are none.
Table inlined_table(const compat::CompatView& view, const compat::SymbolRow& row);

// The low 24 bits of the virtual address in the file, which the contract prints as code addresses.
std::string code_address(const compat::CompatView& view, u32 module, u32 rva);

}  // namespace wperf::report
