// SPDX-License-Identifier: BSD-3-Clause
// Files of machines with the other byte order. Such a file is turned into a copy with numbers in native order, once and
// as a whole, so that all other readers know one order only.
#pragma once
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

bool is_of_other_byte_order(Bytes file);
// Cuts and damage stay: opening the copy reports them. Packed records, raw data, copies of stacks and AUX traces keep
// their bytes.
std::vector<std::byte> in_native_order(Bytes original);

}  // namespace wperf::perf_data
