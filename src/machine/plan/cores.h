// SPDX-License-Identifier: BSD-3-Clause
// Ranges of cores as the user typed them → the cores of this machine that are counted or sampled, and the core on which
// the program runs.
#pragma once
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/counted_items.h"
#include "model/request/measurement.h"

namespace wperf::plan {

// Ascending, no duplicates. The error for a missing core names `option`.
diag::Result<std::vector<u32>> expand_cores(const std::vector<request::CoreRange>& ranges, u32 core_count,
                                            const request::CoreOption& option);

// For samples by overflow and by SPE. The meaning of -c: one core to sample, or, with --cores and --all-cores, the core
// on which the program runs.
struct NamedCores {
  std::vector<u32> measured;  // -c
  std::vector<u32> sampled;   // --cores, --all-cores
};
diag::Result<NamedCores> name_cores(const request::Measurement& wanted, u32 core_count);

// Before the command word -e means counting, so the user's events there would be dropped silently.
diag::Result<void> check_no_counting_list(const std::vector<request::CountItem>& items);

struct SampledCores {
  std::vector<u32> cores;  // ascending, no duplicates
  u32 program_core = 0;    // one of them, or kAnyCore
};
// Checks that need the events: the one core of `sample`, the program, the one core of `record`.
diag::Result<SampledCores> place_on_cores(NamedCores named, const request::Measurement& wanted, u32 core_count);

// The kernel follows a program over all cores unless the user named some; without a program, it samples everything that
// runs on the cores.
diag::Result<SampledCores> place_by_kernel(NamedCores named, bool starts_program, u32 core_count);

}  // namespace wperf::plan
