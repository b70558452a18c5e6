// SPDX-License-Identifier: BSD-3-Clause
// The records of a perf.data file that `perf record -z` compressed, as if they were not, and the records of a folder of
// files as one section.
//
// perf compresses all records of a file as one Zstandard stream, one piece per record, and each piece refers to the
// data unpacked before it. So if a piece is damaged or missing, the later ones cannot be unpacked until one begins a
// new stream. Those are counted, and unpacked records between them are kept.
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
  perf_data::EarlierDamage damage;  // the damage of the file
  u64 lost_bytes = 0;               // the part of that damage that is compressed data which could not be unpacked
};
// Called now and then with the progress: parts of the file.
using UnpackingProgress = std::function<void(u64 passed, u64 all)>;
// Compressed bytes have the byte order of the machine that wrote the file, even if the file was swapped.
enum class PackedOrder : u8 { native, other };
// An error if nothing can be unpacked here. `file_size` limits the plausible sizes.
diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order,
                                             const UnpackingProgress& tell = {});

// The records of the file, unpacked, followed by those of each further file of the input.
diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order, const UnpackingProgress& tell = {});

}  // namespace wperf::recording
