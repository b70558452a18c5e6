// SPDX-License-Identifier: BSD-3-Clause
// Names for the addresses of a recording: each unique one once, module by module, from the files on this machine, from
// /proc/kallsyms and from the maps of programs that make code as they run. Called by recorded_samples.
#pragma once
#include "import/perf_data/task_history.h"
#include "pipeline/elf_files.h"
#include "stacks/stack_profile.h"
#include "stacks/stack_tally.h"

namespace wperf::pipeline {

struct PlaceOptions {
  ElfSearch search;  // lines: of places, too
  bool decorated = false;
};

// Fills modules, functions, lines, places and nodes of the profile.
void name_places(const perf_data::PerfFile& file, const perf_data::TaskHistory& history,
                 const stacks::StackTally& tally, const PlaceOptions& options, stacks::StackProfile& profile);

}  // namespace wperf::pipeline
