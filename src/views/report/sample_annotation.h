// SPDX-License-Identifier: BSD-3-Clause
// Source lines and instructions of one symbol (contract 9.6, 9.7).
#pragma once
#include <string>

#include "views/compat/compat_rows.h"
#include "views/report/sample_report.h"
#include "views/report/table.h"

namespace wperf::report {

bool is_annotated(const compat::CompatView& view, const compat::SymbolRow& row);

Table annotation_table(const compat::CompatView& view, const compat::SymbolRow& row, const SampleOptions& options);
// Which functions the hits of the lines are inlined from. Without rows if none are.
Table inlined_table(const compat::CompatView& view, const compat::SymbolRow& row);

// The low 24 bits of the file's virtual address, as the contract spells addresses of code.
std::string code_address(const compat::CompatView& view, u32 module, u32 rva);
// "b.ne  0x180001038 <mul+0x24>"
std::string instruction_text(const compat::Instruction& instruction);

}  // namespace wperf::report
