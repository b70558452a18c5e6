// SPDX-License-Identifier: BSD-3-Clause
// Lists the paths at which an ELF file's separate debug file may be, by the rules of GDB and perf, in the order in
// which they are tried. Does not access the disk: code/modules opens the files and checks them by each candidate's
// rule.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {

enum class DebugFileCheck : u8 {
  build_id,  // the file must have the image's build id
  crc,       // its debug_link_crc() must equal the CRC in the link
};

struct DebugFileCandidate {
  std::string path;
  DebugFileCheck check = DebugFileCheck::build_id;
  u32 crc = 0;
};

struct DebugFileSearch {
  std::string image_path;                                 // as the process saw it
  std::string root;                                       // "/proc/123/root" for a container; otherwise empty
  std::vector<std::string> folders = {"/usr/lib/debug"};  // from the system and the user
};

std::vector<DebugFileCandidate> debug_file_candidates(const DebugFileSearch& search, Bytes build_id,
                                                      std::optional<ElfDebugLink> link);
// Candidates for the file that dwz made, for the debug file at `debug_path`. The caller checks the build id in the
// alternate link.
std::vector<std::string> alternate_file_candidates(const DebugFileSearch& search, std::string_view debug_path,
                                                   const ElfAlternateLink& link);

}  // namespace wperf::symbols
