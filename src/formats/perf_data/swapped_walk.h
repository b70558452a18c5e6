// SPDX-License-Identifier: BSD-3-Clause
// Records of the other byte order in bytes that may be damaged: each is swapped in place, and after one that does not
// fit, the next one is searched like in RecordStream.
#pragma once
#include "formats/perf_data/swapped_records.h"

namespace wperf::perf_data {

// Damaged bytes become zeros: in the other order they could be taken for something.
void swap_records(std::span<std::byte> records, RecordSwapper& swapper, RecordPlaces places);

// The first place from `at` on where sound records begin; the end if there is none.
u64 find_swapped_record(Bytes data, u64 at, RecordSwapper& swapper, RecordPlaces places);

}  // namespace wperf::perf_data
