// SPDX-License-Identifier: BSD-3-Clause
// Where the separate debug file of an ELF file may be, as GDB and perf look for it: a list of paths in the order in
// which to try them. No disk here: modules opens existing files and checks them by each candidate's rule.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {

enum class DebugFileCheck : u8 {
  build_id,  // it must have the image's build id
  crc,       // its debug_link_crc() must be that of the link
};

struct DebugFileCandidate {
  std::string path;
  DebugFileCheck check = DebugFileCheck::build_id;
  u32 crc = 0;
};

struct DebugFileSearch {
  std::string image_path;                                 // as the process saw it
  std::string root;                                       // "/proc/123/root" of a container; otherwise empty
  std::vector<std::string> folders = {"/usr/lib/debug"};  // of systems and users
};

std::vector<DebugFileCandidate> debug_file_candidates(const DebugFileSearch& search, Bytes build_id,
                                                      std::optional<ElfDebugLink> link);
// The file that dwz made, for the debug file at `debug_path`. The caller checks it by the alternate link's build id.
std::vector<std::string> alternate_file_candidates(const DebugFileSearch& search, std::string_view debug_path,
                                                   const ElfAlternateLink& link);

}  // namespace wperf::symbols
