// SPDX-License-Identifier: BSD-3-Clause
// The view that WindowsPerf's text and JSON are made of (contract 9): functions of one program, most samples first;
// foreign addresses are divided by kind. Pure.
//
//   make_view() ── code_to_disassemble(): fill view.code
//               └─ files_to_read(): fill files[].text
#pragma once
#include <utility>
#include <vector>

#include "model/answers/sampled_run.h"
#include "model/stacks/stack_profile.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

// `fixed_code`: the number of the event that is shown as the fixed counter.
CompatView make_view(const stacks::StackProfile& from, answers::SampledRun run, u16 fixed_code);
// For SPE, which has no fixed counter.
inline CompatView make_view(const stacks::StackProfile& from, answers::SampledRun run) {
  return make_view(from, std::move(run), 0);
}

// The code of the lines in the rows of choose_rows(): blocks without instructions, in the order of CompatView::code.
// The caller fills in the instructions and stores them there.
std::vector<CodeBlock> code_to_disassemble(const CompatView& view, u32 rows, const NameFilter& filter = {});

// Indices of the files that the lines of these rows are from, ascending.
std::vector<u32> files_to_read(const CompatView& view, u32 rows, const NameFilter& filter = {});

}  // namespace wperf::compat
