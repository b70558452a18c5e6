// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the records of a perf.data file that `perf record -z` compressed, and joins the records of a folder of files
// into one section.
//
// perf compresses all records of a file as one Zstandard stream, with one piece in each COMPRESSED record, and each
// piece refers to earlier data. So if a piece is damaged or missing, later ones cannot be unpacked until a new stream
// begins. Such pieces are counted; uncompressed records between them are kept.
#pragma once
#include <functional>
#include <vector>

#include "analysis/recording/opened_recording.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/result.h"

namespace wperf::recording {

bool has_packed_records(const perf_data::PerfFile& file);

struct UnpackedRecords {
  std::vector<std::byte> bytes;     // a record section
  perf_data::EarlierDamage damage;  // the damage in the file
  u64 lost_bytes = 0;               // compressed bytes that could not be unpacked; included in `damage`
};
// Called from time to time: `passed` of `all` bytes of the file were processed.
using UnpackingProgress = std::function<void(u64 passed, u64 all)>;
// Compressed bytes keep the byte order of the machine that wrote the file, even if the other bytes of the file were
// swapped.
enum class PackedOrder : u8 { native, other };
// Returns an error if this build cannot unpack. `file_size` limits plausible sizes.
diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order,
                                             const UnpackingProgress& progress = {});

// The unpacked records of the file, followed by the records of each further input file.
diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order, const UnpackingProgress& progress = {});

}  // namespace wperf::recording
