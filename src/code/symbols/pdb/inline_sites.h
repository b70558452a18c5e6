// SPDX-License-Identifier: BSD-3-Clause
// The inlined functions at an address of a procedure. Each inline site is a scope among the procedure's symbols, and
// carries a small program ("binary annotations") whose run yields the code it covers and the line of each piece.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pdb/compiland_symbols.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

struct InlineSite {
  u32 inlinee;      // in the id stream
  u32 file;         // in the file checksums; valid if has_file
  bool has_file;    // false: the file the inlinee's table entry says
  int line_offset;  // to the line that entry says
};

// One site's data for `offset`, counted from the begin of the procedure; nullopt if the site does not cover it.
std::optional<InlineSite> run_annotations(bytes::View annotations, u32 inlinee, u32 offset);

// The sites around `offset`, the outermost first.
void find_inline_sites(bytes::View symbols, const Procedure& procedure, u32 offset, std::vector<InlineSite>& sites);

}  // namespace wperf::symbols::pdb
