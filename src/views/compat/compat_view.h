// SPDX-License-Identifier: BSD-3-Clause
// The view that WindowsPerf's text and JSON are made of (contract 9): functions of one program, most samples first;
// foreign addresses are divided by kind. Pure.
//
//   make_sample_profile() ── code_to_disassemble(): fill profile.code
//                         └─ files_to_read(): fill files[].text
#pragma once
#include <string>
#include <vector>

#include "model/answers/address_answer.h"
#include "model/answers/compat_profile.h"
#include "model/stacks/stack_profile.h"

namespace wperf::compat {

// Everything about the run but its samples.
struct CompatRun {
  answers::SampleTarget target;  // with the known modules of the program
  std::vector<answers::CoreSamples> cores;
  std::vector<answers::ProcessName> processes;
  bool callers = false;        // wanted
  bool all_processes = false;  // without it, samples of all processes become "other process"
  std::optional<u32> exit_code;
  double elapsed_seconds = 0;
  std::string note;
};

// `fixed_code`: the number of the event that is shown as the fixed counter.
answers::CompatProfile make_sample_profile(const stacks::StackProfile& from, CompatRun run, u16 fixed_code);

// The code of the lines in the rows of choose_rows(): blocks without instructions, in the order of CompatProfile::code.
// The caller fills in the instructions and stores them there.
std::vector<answers::CodeBlock> code_to_disassemble(const answers::CompatProfile& profile, u32 rows,
                                                    const answers::NameFilter& filter = {});

// Indices of the files that the lines of these rows are from, ascending.
std::vector<u32> files_to_read(const answers::CompatProfile& profile, u32 rows, const answers::NameFilter& filter = {});

}  // namespace wperf::compat
