// SPDX-License-Identifier: BSD-3-Clause
// The inlined functions at an address of a procedure. Each inline site is a scope among the procedure's symbols. It has
// a small program ("binary annotations") that computes the pieces of code that it covers, and their lines.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pdb/symbol_records.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

struct InlineSite {
  u32 inlinee;      // number in the id stream
  u32 file;         // position in the file checksums; valid if has_file is true
  bool has_file;    // if false, the inlinee's table entry has the file
  int line_offset;  // relative to the line in the inlinee's table entry
};

// The data of one site for `offset`, relative to the beginning of the procedure; nullopt if the site does not cover the
// offset.
std::optional<InlineSite> run_annotations(bytes::View annotations, u32 inlinee, u32 offset);

// The sites that cover `offset`, outermost first.
void find_inline_sites(bytes::View symbols, const Procedure& procedure, u32 offset, std::vector<InlineSite>& sites);

}  // namespace wperf::symbols::pdb
