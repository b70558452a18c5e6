// SPDX-License-Identifier: BSD-3-Clause
// Stream 1: which build this PDB belongs to, and the streams that have names instead of numbers.
#pragma once
#include <optional>
#include <string_view>

#include "code/address.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

std::optional<code::PdbId> parse_pdb_id(bytes::View info_stream);
// The number of the stream called `name`.
std::optional<u32> find_named_stream(bytes::View info_stream, std::string_view name);
// The texts of the stream "/names"; offsets count from its beginning. Empty when damaged.
bytes::View parse_names(bytes::View names_stream);

}  // namespace wperf::symbols::pdb
