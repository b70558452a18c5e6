// SPDX-License-Identifier: BSD-3-Clause
// Names for the addresses of a recording: each unique one once, module by module, from the files on this machine, from
// /proc/kallsyms and from the maps of programs that make code as they run. Called by recorded_samples.
#pragma once
#include "import/perf_data/task_history.h"
#include "modules/elf_files.h"
#include "recording/recorded_jit.h"
#include "stacks/line_stacks.h"
#include "stacks/stack_profile.h"
#include "stacks/stack_tally.h"

namespace wperf::recording {

struct PlaceOptions {
  modules::ElfSearch search;
  bool lines = false;    // each place has its line
  bool inlined = false;  // functions that the compiler put into others are frames of their own
  bool decorated = false;
  bool code = false;   // CodeSites are wanted
  bool lists = false;  // instead of the tree, stacks that still know their addresses
};

// Where the places are in their files: for views that show code.
struct CodeSites {
  struct Site {
    u32 function = 0;        // of the profile, the one with a symbol
    u64 address = 0;         // as linked
    u64 begin = 0, end = 0;  // of the function; equal: not known
  };
  std::vector<Site> sites;
  std::vector<u32> of_node;  // by node of the profile: a site; stacks::kNothing: none
  std::vector<modules::LoadedElf> files;
  std::vector<u32> file_of_module;  // by module of the profile; stacks::kNothing: none
};

struct NamedPlaces {
  CodeSites sites;
  stacks::LineStacks lists;
};

// Fills modules, functions, lines, places and nodes of the profile. With inlined functions there are more nodes than
// the tally has: the samples of the profile are moved to those. With lists there is one node for each place.
NamedPlaces name_places(const perf_data::PerfFile& file, const perf_data::TaskHistory& history,
                        const stacks::StackTally& tally, const RecordedJit& jit, const PlaceOptions& options,
                        stacks::StackProfile& profile);

}  // namespace wperf::recording
