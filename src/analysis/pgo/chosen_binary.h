// SPDX-License-Identifier: BSD-3-Clause
// The binary that `pgo` writes a profile for: the one given with --binary, or the recorded program.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/pgo/profile_counts.h"
#include "ground/diag/result.h"

namespace wperf::pgo {

// The user's name for a binary: a code file, or only the name of a module.
struct NamedBinary {
  std::string given;     // as the user typed it
  std::string name;      // the last component of the path
  std::string path;      // empty if there is no such file
  std::string build_id;  // of the file, as recordings have it; empty if it has none

  // Is it a path (not only a name) at which there is no file?
  bool is_missing_file() const { return path.empty() && given != name; }
};
// A file that does not exist here may be a file of the recording's machine. Returns an error if the file exists but is
// neither an ELF file nor a PE image.
diag::Result<NamedBinary> open_named_binary(const std::string& named);

// Is any sample in a code file? If not, no_code_samples() returns an error that says where the samples are.
bool has_code_samples(const ProfileCounts& counts);
diag::Error no_code_samples(const ProfileCounts& counts);

// The binary to use. `events`: the events whose samples are counted.
diag::Result<const Binary*> choose_binary(const ProfileCounts& counts, const std::vector<u32>& events,
                                          const std::optional<NamedBinary>& named);

}  // namespace wperf::pgo
