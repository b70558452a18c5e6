// SPDX-License-Identifier: BSD-3-Clause
// The stubs through which an ELF file calls functions of other files: the address and the function of each.
#pragma once
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols::elf {

struct PltStub {
  u64 address = 0, size = 0;
  std::string_view target;  // empty for a function without a name here (an ifunc of the file itself)
};

// By address. x86 and ARM64: by the slot that each stub's code loads; others: by the order of the relocations.
std::vector<PltStub> read_plt(const ElfFile& file);

}  // namespace wperf::symbols::elf
