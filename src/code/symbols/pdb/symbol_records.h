// SPDX-License-Identifier: BSD-3-Clause
// The symbols of a PDB: public ones, the procedures of compilands, and the functions that are inlined into these.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// The public symbols: the linker's names, decorated, without sizes. A stripped PDB only has these.

// By RVA; at one RVA in the order of the file.
struct Publics {
  std::vector<Function> functions;
  std::vector<bool> are_code;  // the same order: marked as code, or lies in an executable section
};

// `publics_stream` has the order by address; without it all of `records` is searched.
Publics read_publics(bytes::View publics_stream, bytes::View records, const AddressMap& addresses, Damage& damage);

// The procedures of one compiland. Listing them jumps from the head of a procedure to its end. The part in between
// (local variables, blocks, inline sites) is read only for an address inside.
struct Procedure {
  Function function;
  SourceRva begin = 0;
  u32 body = 0;      // where its inner records begin in the compiland's symbols
  u32 body_end = 0;  // and end; equal if not known
};

// Was the compiland compiled as C?
bool is_c(bytes::View symbols);

// By source RVA, then in the order of the file: if the linker folded several procedures into one address, the first one
// stays the first.
std::vector<Procedure> read_procedures(bytes::View symbols, u32 compiland, const AddressMap& addresses, Damage& damage);

// The procedure that contains `rva`, the first if there are several; nullopt outside of all.
const Procedure* find_procedure(const std::vector<Procedure>& procedures, SourceRva rva);

// The inlined functions at an address of a procedure. Each inline site is a scope among the procedure's symbols, and
// carries a small program ("binary annotations") whose run yields the code it covers and the line of each piece.
struct InlineSite {
  u32 inlinee;      // in the id stream
  u32 file;         // in the file checksums; valid if has_file
  bool has_file;    // if false, the file of the inlinee's table entry counts
  int line_offset;  // relative to the line of that entry
};

// One site's data for `offset`, counted from the beginning of the procedure; nullopt if the site does not cover it.
std::optional<InlineSite> run_annotations(bytes::View annotations, u32 inlinee, u32 offset);

// The sites around `offset`, the outermost first.
void find_inline_sites(bytes::View symbols, const Procedure& procedure, u32 offset, std::vector<InlineSite>& sites);

}  // namespace wperf::symbols::pdb
