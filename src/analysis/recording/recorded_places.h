// SPDX-License-Identifier: BSD-3-Clause
// Names the addresses of a recording, each distinct address once, module by module, from files on this machine,
// /proc/kallsyms, and map files of programs that generate code at run time.
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

// `done` of `all` code files have been processed.
using NamingProgress = std::function<void(usize done, usize all)>;

struct PlaceOptions {
  const RecordedJit* jit = nullptr;  // never null
  modules::ElfSearch search;
  modules::SymbolOptions images;  // for Windows programs
  bool lines = false;             // each place includes its line
  bool inlined = false;           // functions that the compiler inlined are separate frames
  bool python_lines = false;      // lines of Python functions are separate functions (python_line_name)
  bool decorated = false;
  bool signatures = false;   // distinguishes overloads, which otherwise have the same name
  bool code = false;         // fills sites, and makes a node for each address
  bool code_lines = false;   // fills lines and inlined frames of the sites
  bool line_ranges = false;  // fills the range of each site's line
  bool rvas = false;         // includes sites of Windows modules that are not on this machine; the image base is then 0
  bool lists = false;        // instead of the tree, stacks that keep their addresses
  NamingProgress progress = {};
  OpenedCode* opened = nullptr;  // keeps the files open; if null, files are closed, or returned if `code` is set
};

// The files of a profile's sites.
struct CodeFiles {
  std::vector<modules::CodeFile> files;
  std::vector<u32> of_module;  // by module of the profile: index into files; stacks::kNothing if it has none
  const modules::CodeFile* find(u32 module) const {
    return module < of_module.size() && of_module[module] != stacks::kNothing ? &files[of_module[module]] : nullptr;
  }
};

struct NamedPlaces {
  CodeFiles files;
  stacks::LineStacks lists;
};

// Fills modules, functions, lines, places, nodes and sites of the profile. With `inlined` there are more nodes than in
// the aggregator, and the profile's samples are moved to the new nodes. With `lists` there is one node for each place.
// Removes the addresses from the aggregator if they are not needed later.
NamedPlaces name_places(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                        stacks::StackAggregator& aggregator, const PlaceOptions& options,
                        stacks::StackProfile& profile);

}  // namespace wperf::recording
