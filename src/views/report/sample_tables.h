// SPDX-License-Identifier: BSD-3-Clause
// Tables of samples that text and JSON share: hot functions (contract 9.2) and wperf's own --by.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "views/compat/compat_rows.h"
#include "views/report/sample_report.h"
#include "views/report/sample_selection.h"
#include "views/report/table.h"

namespace wperf::report {

// "======================== what ========================"
void append_heading(std::string& out, std::string_view what);

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

}  // namespace wperf::report
