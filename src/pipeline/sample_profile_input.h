// SPDX-License-Identifier: BSD-3-Clause
// What WindowsPerf's view of a run needs beside its profile: the program's modules, machine code and sources as far as
// the report will show them.
#pragma once
#include <functional>
#include <vector>

#include "diag/result.h"
#include "modules/code_file.h"
#include "modules/module_files.h"
#include "pipeline/sampled_program.h"
#include "profile/compat_view.h"
#include "profile/sample_profile.h"
#include "request/request.h"

namespace wperf::pipeline {

// --symbol as a predicate; empty without one.
profile::NameFilter name_filter(const request::SampleDisplay& display);

// The process's module files, and what the profile says of it. `process` may be null: it was never seen.
const raw::Process* find_process(const std::vector<raw::Process>& processes, u32 pid);
profile::SampleTarget target_of(const SampledProgram& program, const raw::Process* process,
                                const std::vector<modules::LoadedModule>& loaded);
// By the numbers of the target's modules; null: there is none.
using FileOfModule = std::function<const modules::CodeFile*(u32 module)>;

// Instructions and source text, as far as the report will show them.
diag::Result<void> add_code_and_sources(profile::SampleProfile& profile, const FileOfModule& files,
                                        const request::SampleDisplay& display);

// What is known of the target before the first sample: modules, sections, base address.
profile::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options);

}  // namespace wperf::pipeline
