// SPDX-License-Identifier: BSD-3-Clause
// The program that `sample` and `record` measure: found running, or started for it. Also the places of its symbols.
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

// `spawned` holds the program that `record` starts on `core`; it outlives the sampling. Process 0: the program that
// `sample` was asked for does not run, which is reported.
diag::Result<SampledProgram> start_or_find(const MeasureOptions& options, u32 core, Machine& machine,
                                           SpawnedProgram& spawned, diag::Console& console);

// The process's module files, and its description for the profile. `process` may be null: it was not seen.
const readings::Process* find_process(const std::vector<readings::Process>& processes, u32 pid);
answers::SampleTarget target_of(const SampledProgram& program, const readings::Process* process,
                                const std::vector<modules::LoadedModule>& loaded);
// Facts about the target before the first sample: modules, sections, base address.
answers::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options);

}  // namespace wperf::measure
