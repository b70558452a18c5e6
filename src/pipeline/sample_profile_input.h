// SPDX-License-Identifier: BSD-3-Clause
// What WindowsPerf's view of a run needs beside its profile: the program's modules, machine code and sources as far as
// the report will show them.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "diag/result.h"
#include "modules/code_bytes.h"
#include "modules/module_files.h"
#include "pipeline/sampled_program.h"
#include "profile/address_answer.h"
#include "profile/compat_view.h"
#include "profile/sample_profile.h"
#include "request/request.h"
#include "symbols/disassembly/disassembler.h"

namespace wperf::pipeline {

// --symbol as a predicate; empty without one.
profile::NameFilter name_filter(const request::SampleDisplay& display);

// The process's module files, and what the profile says of it. `process` may be null: it was never seen.
const raw::Process* find_process(const std::vector<raw::Process>& processes, u32 pid);
profile::SampleTarget target_of(const SampledProgram& program, const raw::Process* process,
                                const std::vector<modules::LoadedModule>& loaded);
std::vector<profile::ProcessName> process_names(const std::vector<raw::Process>& processes);

struct CodeReader {
  std::function<std::optional<modules::CodeBytes>(u32 module, u32 begin, u32 end)> bytes;  // RVAs
  std::function<std::vector<profile::AddressAnswer>(u32 module, u32 rva)> name;            // of a branch's target
};
CodeReader code_of(const std::vector<modules::LoadedModule>& loaded, bool decorated);

// Instructions and source text, as far as the report will show them.
diag::Result<void> add_code_and_sources(profile::SampleProfile& profile, const CodeReader& code,
                                        const request::SampleDisplay& display);

// What is known of the target before the first sample: modules, sections, base address.
profile::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options);

}  // namespace wperf::pipeline
