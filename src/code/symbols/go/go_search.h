// SPDX-License-Identifier: BSD-3-Clause
// Finds Go's function table in the parts of a program, and the address that its functions count from.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "code/symbols/go/go_table.h"

namespace wperf::symbols {

struct GoPart {               // a section
  u64 address = 0, size = 0;  // in memory
  Bytes bytes;                // those that are stored in the file
  bool executable = false;
};

struct GoProgram {
  std::span<const GoPart> parts;
  bool big_endian = false;
};

// Sections of a damaged file may share their bytes. Only the first of them keeps its bytes, so no byte is searched
// twice.
std::vector<GoPart> with_bytes_once(std::vector<GoPart> parts);

// The table at the beginning of `part`. Nullopt if it is damaged, or if it is unknown where its functions are.
std::optional<GoTable> go_table_in(const GoPart& part, const GoProgram& program);
// The first such table anywhere in the data, for machines with that quantum. Reads all data.
std::optional<GoTable> find_go_table(const GoProgram& program, u8 quantum);

}  // namespace wperf::symbols
