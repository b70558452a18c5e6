// SPDX-License-Identifier: BSD-3-Clause
// The procedures of one compiland. Listing them jumps from the head of a procedure to its end; the part in between
// (local variables, blocks, inline sites) is looked at only for an address inside (inline_sites.h).
#pragma once
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

struct Procedure {
  Function function;
  SourceRva begin = 0;
  u32 body = 0;      // where its inner records begin in the compiland's symbols
  u32 body_end = 0;  // and end; equal: not known
};

// By source RVA, then in the order of the file: if the linker folded several procedures into one address, the first one
// stays the first.
std::vector<Procedure> read_procedures(bytes::View symbols, u32 compiland, const AddressMap& addresses, Damage& damage);

// The procedure around `rva`, the first of several; nothing outside.
const Procedure* find_procedure(const std::vector<Procedure>& procedures, SourceRva rva);

}  // namespace wperf::symbols::pdb
