// SPDX-License-Identifier: BSD-3-Clause
// Finds Go's function table in the parts of a program, and the address to which its functions are relative.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "code/symbols/go/go_table.h"

namespace wperf::symbols {

struct GoPart {               // a section
  u64 address = 0, size = 0;  // in memory
  Bytes bytes;                // the bytes that are stored in the file
  bool executable = false;
};

struct GoProgram {
  std::span<const GoPart> parts;
  bool big_endian = false;
};

// Sections of a damaged file may share their bytes. Only the first of them keeps its bytes, so no byte is searched
// twice.
std::vector<GoPart> with_bytes_once(std::vector<GoPart> parts);

// The table at the beginning of `part`. Nullopt if it is damaged, or if the address of its functions is unknown.
std::optional<GoTable> go_table_in(const GoPart& part, const GoProgram& program);
// Searches all data for the first table with this quantum.
std::optional<GoTable> find_go_table(const GoProgram& program, u8 quantum);

}  // namespace wperf::symbols
