// SPDX-License-Identifier: BSD-3-Clause
// The functions of Capstone that the decoder calls. On Linux they are loaded at run time, because linking the library
// would cost every command 0.9 ms. Only capstone_*.cpp include this file.
#pragma once
#include <capstone/capstone.h>

#include "ground/diag/result.h"

namespace wperf::symbols {

struct CapstoneLibrary {
  decltype(&cs_open) open;
  decltype(&cs_close) close;
  decltype(&cs_option) option;
  decltype(&cs_malloc) malloc;
  decltype(&cs_free) free;
  decltype(&cs_disasm_iter) disasm_iter;
  decltype(&cs_insn_group) insn_group;
};

// Loads the library on the first call. It remains loaded.
diag::Result<const CapstoneLibrary*> capstone();

}  // namespace wperf::symbols
