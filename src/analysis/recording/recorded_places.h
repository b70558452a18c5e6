// SPDX-License-Identifier: BSD-3-Clause
// Names for the addresses of a recording: each unique one once, module by module, from the files on this machine, from
// /proc/kallsyms and from the maps of programs that make code at run time.
#pragma once
#include <functional>

#include "analysis/recording/opened_code.h"
#include "analysis/recording/recorded_jit.h"
#include "code/modules/code_file.h"
#include "formats/perf_data/process_history.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_aggregator.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

// Files of code: finished ones and all.
using NamingProgress = std::function<void(usize done, usize all)>;

struct PlaceOptions {
  const RecordedJit* jit = nullptr;  // never null
  modules::ElfSearch search;
  modules::SymbolOptions images;  // for Windows programs
  bool lines = false;             // each place has its line
  bool inlined = false;           // functions that the compiler inlined are separate frames
  bool decorated = false;
  bool signatures = false;   // for overloads, which would otherwise look the same
  bool code = false;         // sites are wanted, and a node for each address
  bool code_lines = false;   // of the sites, with inlined frames
  bool line_ranges = false;  // of the sites: the code of each one's line
  bool rvas = false;         // of the sites: those of Windows modules that are not here, too; their image base is 0
  bool lists = false;        // instead of the tree, stacks that keep their addresses
  NamingProgress tell = {};
  OpenedCode* opened = nullptr;  // files stay open there; if null, they are closed, or handed out if `code` is wanted
};

// The files of the sites in a profile.
struct CodeFiles {
  std::vector<modules::CodeFile> files;
  std::vector<u32> of_module;  // by module of the profile: index into files; stacks::kNothing if none
  const modules::CodeFile* find(u32 module) const {
    return module < of_module.size() && of_module[module] != stacks::kNothing ? &files[of_module[module]] : nullptr;
  }
};

struct NamedPlaces {
  CodeFiles files;
  stacks::LineStacks lists;
};

// Fills modules, functions, lines, places, nodes and sites of the profile. With inlined functions there are more nodes
// than the aggregator has: the samples of the profile are moved to the new ones. With lists there is one node for each
// place. Takes the addresses out of the aggregator if they are not needed later.
NamedPlaces name_places(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                        stacks::StackAggregator& aggregator, const PlaceOptions& options,
                        stacks::StackProfile& profile);

}  // namespace wperf::recording
