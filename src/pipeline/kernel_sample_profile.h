// SPDX-License-Identifier: BSD-3-Clause
// What the kernel of this machine sampled (Linux) → the profile of the run: addresses moved home, ELF files and the
// kernel's own list of functions asked for names. What build_sample_profile is for programs with PE modules.
#pragma once
#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "modules/module_files.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "profile/sample_profile.h"

namespace wperf::pipeline {

// `file`: the recording. Moves the samples of `outcome` home.
diag::Result<profile::SampleProfile> build_kernel_sample_profile(SamplingOutcome& outcome,
                                                                 const perf_data::PerfFile& file,
                                                                 const SampledProgram& program,
                                                                 const modules::SymbolOptions& options);

}  // namespace wperf::pipeline
