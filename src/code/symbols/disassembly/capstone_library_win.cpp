// SPDX-License-Identifier: BSD-3-Clause
#ifdef WPERF_HAS_CAPSTONE
#include "code/symbols/disassembly/capstone_library.h"

namespace wperf::symbols {

diag::Result<const CapstoneLibrary*> capstone() {
  static const CapstoneLibrary linked{.open = &cs_open,
                                      .close = &cs_close,
                                      .option = &cs_option,
                                      .malloc = &cs_malloc,
                                      .free = &cs_free,
                                      .disasm_iter = &cs_disasm_iter,
                                      .insn_group = &cs_insn_group};
  return &linked;
}

}  // namespace wperf::symbols
#endif
