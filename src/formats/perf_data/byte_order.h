// SPDX-License-Identifier: BSD-3-Clause
// Files of machines with the other byte order. Such a file is turned into a copy with numbers as they stand here, once
// and as a whole, so that all other readers know one order only. Called by commands.
#pragma once
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

bool is_of_other_byte_order(Bytes file);
// What is cut or damaged stays so: opening the copy tells of it. The bytes of packed records, of raw data, of copies of
// stacks and of AUX traces stay as they are.
std::vector<std::byte> in_native_order(Bytes original);

}  // namespace wperf::perf_data
