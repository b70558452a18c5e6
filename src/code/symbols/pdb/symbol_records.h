// SPDX-License-Identifier: BSD-3-Clause
// The symbols of a PDB: public symbols, and the procedures of compilands.
#pragma once
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// The public symbols: the linker's decorated names, without sizes. A stripped PDB has no other symbols.

// Ordered by RVA; symbols with equal RVAs are in the order of the file.
struct Publics {
  std::vector<Function> functions;
  std::vector<bool> are_code;  // for each of them: is it marked as code, or in an executable section?
};

// `publics_stream` has them in order of address; without it all of `records` is searched.
Publics read_publics(bytes::View publics_stream, bytes::View records, const AddressMap& addresses, Damage& damage);

// The procedures of one compiland. To list them, the reader jumps from the beginning of a procedure to its end. The
// records in between (local variables, blocks, inline sites) are read only if an address in the procedure is looked up.
struct Procedure {
  Function function;
  SourceRva begin = 0;
  u32 body = 0;      // where its inner records begin in the compiland's symbols
  u32 body_end = 0;  // where its inner records end; equal to `body` if not known
};

// Was the compiland compiled as C?
bool is_c(bytes::View symbols);

// Ordered by source RVA, then as in the file. If the linker folded several procedures into one address, the first one
// remains the first.
std::vector<Procedure> read_procedures(bytes::View symbols, u32 compiland, const AddressMap& addresses, Damage& damage);

// The procedure that contains `rva`; the first one if several do; null if none does.
const Procedure* find_procedure(const std::vector<Procedure>& procedures, SourceRva rva);

}  // namespace wperf::symbols::pdb
