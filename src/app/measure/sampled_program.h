// SPDX-License-Identifier: BSD-3-Clause
// The program that `sample` and `record` measure, which is found or started, and where its symbols are.
#pragma once
#include <string>

#include "app/measure/counting.h"
#include "app/measure/opened_machine.h"
#include "code/modules/module_files.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/answers/sampled_run.h"

namespace wperf::measure {

struct SampledProgram {
  u32 pid = 0;
  std::string image_name;  // base name
  std::string pe_file, pdb_file;
};

// `spawned` receives the program that `record` starts on `core`, and must outlive the sampling. The result has process
// 0 if the program given to `sample` does not run; this is also printed.
diag::Result<SampledProgram> start_or_find(const MeasureOptions& options, u32 core, OpenedMachine& machine,
                                           SpawnedProgram& spawned, diag::Console& console);

// Finds the process with its modules, and describes it for the profile. `process` is null if it was not found.
const readings::Process* find_process(const std::vector<readings::Process>& processes, u32 pid);
answers::SampleTarget target_of(const SampledProgram& program, const readings::Process* process,
                                const std::vector<modules::LoadedModule>& loaded);
// Facts about the target that are known before the first sample: modules, sections, base address.
answers::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options);

}  // namespace wperf::measure
