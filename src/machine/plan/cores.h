// SPDX-License-Identifier: BSD-3-Clause
// Converts the user's ranges of cores to the cores of this machine to count or sample, and to the core on which the
// program runs.
#pragma once
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "model/request/counted_items.h"
#include "model/request/measurement.h"

namespace wperf::plan {

// The result is ascending, without duplicates. The error for a missing core names `option`.
diag::Result<std::vector<u32>> expand_cores(const std::vector<request::CoreRange>& ranges, u32 core_count,
                                            const request::CoreOption& option);

// For sampling with counters and with SPE. -c is the core to sample; if --cores or --all-cores is given, -c is the core
// on which the program runs.
struct NamedCores {
  std::vector<u32> measured;  // -c
  std::vector<u32> sampled;   // --cores, --all-cores
};
diag::Result<NamedCores> name_cores(const request::Measurement& wanted, u32 core_count);

// Refuses an event list of -e before the command word. Such a list names events to count, so a sampling command would
// silently ignore it.
diag::Result<void> check_no_counting_list(const std::vector<request::CountItem>& items);

struct SampledCores {
  std::vector<u32> cores;  // ascending, no duplicates
  u32 program_core = 0;    // one of these cores, or kAnyCore
};
// Checks that need to know the events: `sample` takes one core, `sample` needs a program, `record` takes one core.
diag::Result<SampledCores> place_on_cores(NamedCores named, const request::Measurement& wanted, u32 core_count);

// The kernel follows a program to all cores unless the user names some. Without a program, it samples everything that
// runs on the cores.
diag::Result<SampledCores> place_by_kernel(NamedCores named, bool starts_program, u32 core_count);

}  // namespace wperf::plan
