// SPDX-License-Identifier: BSD-3-Clause
// Files from machines with the other byte order. The whole file is copied once, with its numbers in native order, so
// that no other reader has to know about byte orders.
#pragma once
#include <vector>

#include "formats/perf_data/format.h"
#include "formats/perf_data/swapped_records.h"

namespace wperf::perf_data {

// Swaps each record in place. The bytes may be damaged; after a record that does not fit, the next valid record is
// searched for as in RecordStream.

// Damaged bytes become zeros, because they could look valid in the other byte order.
void swap_records(std::span<std::byte> records, RecordSwapper& swapper, RecordPlaces places);

// The first position from `at` on where valid records begin; the end if there are none.
u64 find_swapped_record(Bytes data, u64 at, RecordSwapper& swapper, RecordPlaces places);

bool is_of_other_byte_order(Bytes file);
// Truncation and damage are kept, so opening the copy reports them. Packed records, raw data, stack copies and AUX
// traces are copied unchanged.
std::vector<std::byte> in_native_order(Bytes original);

}  // namespace wperf::perf_data
