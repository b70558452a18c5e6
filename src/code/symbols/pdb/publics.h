// SPDX-License-Identifier: BSD-3-Clause
// The public symbols: the linker's names, decorated, without sizes. A stripped PDB only has these.
#pragma once
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// By RVA; at one RVA in the order of the file.
struct Publics {
  std::vector<Function> functions;
  std::vector<bool> are_code;  // the same order: marked as code, or lies in an executable section
};

// `publics_stream` has the order by address; without it all of `records` is searched.
Publics read_publics(bytes::View publics_stream, bytes::View records, const AddressMap& addresses, Damage& damage);

}  // namespace wperf::symbols::pdb
