// SPDX-License-Identifier: BSD-3-Clause
// Capture + names → the profile of a sampling run: finds the modules' files, asks the symbolizer, disassembles and
// reads sources as far as the report will show them.
#pragma once
#include "diag/result.h"
#include "pipeline/module_files.h"
#include "pipeline/sampling.h"
#include "profile/sample_profile.h"
#include "request/request.h"

namespace wperf::pipeline {

struct SampledProgram {
  u32 pid = 0;
  std::string image_name;  // base name
  std::string pe_file, pdb_file;
};

// --symbol as a predicate; empty without one.
profile::NameFilter name_filter(const request::SampleDisplay& display);

// What is known of the target before the first sample: modules, sections, base address.
profile::SampleTarget target_before(device::Channel& machine, const SampledProgram& program,
                                    const SymbolOptions& options);

diag::Result<profile::SampleProfile> build_sample_profile(const SamplingOutcome& outcome, const SampledProgram& program,
                                                          const SymbolOptions& options);

}  // namespace wperf::pipeline
