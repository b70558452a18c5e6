// SPDX-License-Identifier: BSD-3-Clause
// Pointers as .eh_frame and .eh_frame_hdr write them (DW_EH_PE_…), of 64-bit files.
#pragma once
#include <optional>

#include "code/symbols/dwarf/cursor.h"

namespace wperf::unwind {

// `part_address`: as linked, of the first byte the cursor has. `data_address`: the base of DW_EH_PE_datarel. nullopt if
// the encoding is unknown or the bytes end.
std::optional<u64> read_pointer(symbols::dwarf::Cursor& cursor, u8 encoding, u64 part_address, u64 data_address);

}  // namespace wperf::unwind
