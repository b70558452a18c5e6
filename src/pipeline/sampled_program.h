// SPDX-License-Identifier: BSD-3-Clause
// Whom `sample` and `record` look at: a program found running, or started for it. And where its symbols are sought.
#pragma once
#include <string>

#include "diag/result.h"
#include "modules/module_files.h"
#include "pipeline/counting.h"
#include "pipeline/machine.h"
#include "request/request.h"

namespace wperf::pipeline {

struct SampledProgram {
  u32 pid = 0;
  std::string image_name;  // base name
  std::string pe_file, pdb_file;
};

// `spawned` holds the program that `record` starts on `core`; it outlives the sampling.
diag::Result<SampledProgram> start_or_find(const request::Request& request, u32 core, Machine& machine,
                                           SpawnedProgram& spawned);

modules::SymbolOptions symbol_options(const request::Request& request);

}  // namespace wperf::pipeline
