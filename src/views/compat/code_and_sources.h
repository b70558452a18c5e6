// SPDX-License-Identifier: BSD-3-Clause
// The machine code and source text that a view will show.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "code/modules/code_file.h"
#include "ground/diag/result.h"
#include "model/request/sampling_options.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

// --symbol as a predicate; empty without --symbol.
NameFilter name_filter(const request::SampleDisplay& display);

// The argument is a module's number in the target; may return null.
using FileOfModule = std::function<const modules::CodeFile*(u32 module)>;

// The code blocks of the lines in choose_rows(), in the order of CompatView::code. The caller fills in the instructions
// and stores the blocks in CompatView::code.
std::vector<CodeBlock> code_to_disassemble(const CompatView& view, u32 rows, const NameFilter& filter = {});

// The indices of the source files with the lines of these rows, ascending.
std::vector<u32> files_to_read(const CompatView& view, u32 rows, const NameFilter& filter = {});

// Instructions and source text that the report will show, for at most `rows` functions per event. `folders`: from
// --symbol-path.
diag::Result<void> add_code_and_sources(CompatView& view, const FileOfModule& files,
                                        const request::SampleDisplay& display, u32 rows,
                                        std::span<const std::string> folders);

}  // namespace wperf::compat
