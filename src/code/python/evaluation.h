// SPDX-License-Identifier: BSD-3-Clause
// The code of the interpreter's function, _PyEval_EvalFrameDefault. Compilers split it: a part that they take for
// unlikely lies elsewhere and has no name, and in some builds nearly everything is there. The parts jump to each other.
#pragma once
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::python {

struct CodeRange {
  u64 begin = 0, end = 0;
  bool contains(u64 address) const { return address - begin < end - begin; }
};

// As linked, the part with the name first; empty if the file lacks the name.
std::vector<CodeRange> evaluation_parts(const symbols::ElfFile& file);

}  // namespace wperf::python
