// SPDX-License-Identifier: BSD-3-Clause
// Converts counts by address to counts by line, with inlined functions: the profile that clang reads. Lines are
// relative to the declaration of their function, so edits above the function do not matter.
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
  compiler_profiles::FunctionProfiles functions;
  u64 instructions = 0;  // the number of counted instructions
  u64 without_line = 0;  // how many of these have no line
  u64 without_name = 0;  // how many of these have a line, in a function without a known name or declaration
  // how many of these are relative to the first line of code because the declaration was not found
  u64 from_first_line = 0;
  u64 undecodable = 0;               // pieces of code that could not be decoded
  std::optional<diag::Error> error;  // why nothing could be decoded
};

// A PDB lacks the declarations of most functions, so they are looked up in the source files, which are also searched in
// `folders`.
SourceProfile source_profile(const modules::CodeFile& file, const compiler_profiles::AddressCounts& counts,
                             std::span<const std::string> folders);

}  // namespace wperf::pgo
