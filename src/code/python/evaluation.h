// SPDX-License-Identifier: BSD-3-Clause
// The code of the interpreter's function, _PyEval_EvalFrameDefault. Compilers split it: parts that they expect to run
// rarely are in another place and have no name. In some builds nearly all code is in such parts. The parts jump to each
// other.
#pragma once
#include <vector>

#include "code/address.h"
#include "code/symbols/elf/elf_file.h"

namespace wperf::python {

// Linked addresses; the part with the name comes first. Empty if the file does not have the name.
std::vector<code::AddressRange> evaluation_parts(const symbols::ElfFile& file);

}  // namespace wperf::python
