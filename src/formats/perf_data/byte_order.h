// SPDX-License-Identifier: BSD-3-Clause
// Files of machines with the other byte order. Such a file is turned into a copy with numbers in native order, once and
// as a whole, so that all other readers know one order only.
#pragma once
#include <vector>

#include "formats/perf_data/format.h"
#include "formats/perf_data/swapped_records.h"

namespace wperf::perf_data {

// Records of the other byte order in bytes that may be damaged. Each is swapped in place; after one that does not fit,
// the next one is searched as in RecordStream.

// Damaged bytes become zeros: in the other byte order they could look valid.
void swap_records(std::span<std::byte> records, RecordSwapper& swapper, RecordPlaces places);

// The first place from `at` on where valid records begin; the end if there is none.
u64 find_swapped_record(Bytes data, u64 at, RecordSwapper& swapper, RecordPlaces places);

bool is_of_other_byte_order(Bytes file);
// Cuts and damage stay: opening the copy reports them. Packed records, raw data, copies of stacks and AUX traces keep
// their bytes.
std::vector<std::byte> in_native_order(Bytes original);

}  // namespace wperf::perf_data
