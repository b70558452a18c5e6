// SPDX-License-Identifier: BSD-3-Clause
// The stubs through which an ELF file calls functions of other files: the address and function of each.
#pragma once
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols::elf {

struct PltStub {
  u64 address = 0, size = 0;
  std::string_view target;  // empty if the function has no name here (an ifunc of the file itself)
};

// Ordered by address. On x86 and ARM64 a stub is matched by the slot that its code loads; on other machines by the
// order of the relocations.
std::vector<PltStub> read_plt(const ElfFile& file);

}  // namespace wperf::symbols::elf
