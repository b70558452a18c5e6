// SPDX-License-Identifier: BSD-3-Clause
// The modules of a recording with SPE data, and the names of their sampled addresses.
#pragma once
#include <string>
#include <vector>

#include "analysis/recording/canonical_code.h"
#include "analysis/recording/recorded_samples.h"
#include "code/modules/code_file.h"
#include "formats/perf_data/perf_file.h"
#include "model/answers/sampled_run.h"

namespace wperf::operations {

// The target's modules, and where their names come from.
struct NamedCode {
  answers::SampleTarget target;
  std::vector<modules::CodeFile> files;  // the files of each module
  // By module: the file offset of its first byte. 0, except for memory without a file.
  std::vector<u64> first;
  bool of_run = false;  // the files are already loaded
};

// Returns a module for each mapped file, at the address of the file's first mapping.
NamedCode code_of_file(const recording::CanonicalCode& code, const std::string& data_file);

struct CodeNaming {
  modules::SymbolOptions symbols;
  bool lines = false;        // with lines and inlined functions
  bool decorated = false;    // linkage names
  bool line_ranges = false;  // with the bytes of each line
};
// Loads the needed files. Stores in the target why names are missing. `wanted`: offsets by module.
std::vector<std::vector<answers::AddressAnswer>> name_code(const perf_data::PerfFile& file,
                                                           const recording::CanonicalCode& canonical,
                                                           const std::vector<std::vector<u32>>& wanted,
                                                           const CodeNaming& naming, NamedCode& code);

}  // namespace wperf::operations
