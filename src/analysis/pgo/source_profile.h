// SPDX-License-Identifier: BSD-3-Clause
// Counts by address → counts by line, with the functions that were inlined there: the profile that clang reads. Lines
// count from the declaration of their function on, so that changes above it do not matter.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>

#include "code/modules/code_file.h"
#include "formats/compiler_profiles/compiler_profiles.h"
#include "ground/diag/result.h"

namespace wperf::pgo {

struct SourceProfile {
  std::map<std::string, compiler_profiles::FunctionProfile> functions;
  u64 instructions = 0;  // counted, all together
  u64 without_line = 0;  // of these, in no line, or in a function whose name or declaration is not known
  u64 from_first_line =
      0;                // of these, counted from the first line of a function's code: where it is declared is not known
  u64 undecodable = 0;  // stretches of code that could not be decoded
  std::optional<diag::Error> trouble;  // why nothing could be decoded
};

// A PDB lacks the declared lines of most functions. They are looked for in the sources, also in `folders`.
SourceProfile source_profile(const modules::CodeFile& file, const compiler_profiles::AddressCounts& counts,
                             std::span<const std::string> folders);

}  // namespace wperf::pgo
