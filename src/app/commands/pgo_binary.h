// SPDX-License-Identifier: BSD-3-Clause
// The binary that `pgo` writes a profile of: the one that --binary names, or the recorded program.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/pgo/profile_counts.h"
#include "ground/diag/result.h"

namespace wperf::commands {

// Is there a code file of that name, or can only modules be meant?
struct NamedBinary {
  std::string name;      // its last part
  std::string path;      // empty: there is no such file
  std::string build_id;  // of the file, as recordings have it; empty: it has none
};
// An error if the file exists and is neither an ELF file nor a PE image.
diag::Result<NamedBinary> open_named_binary(const std::string& named);

// The counted binary. `events`: whose samples count.
diag::Result<const pgo::Binary*> choose_binary(const pgo::ProfileCounts& counts, const std::vector<u32>& events,
                                               const std::optional<NamedBinary>& named);

}  // namespace wperf::commands
