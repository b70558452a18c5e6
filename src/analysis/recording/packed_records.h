// SPDX-License-Identifier: BSD-3-Clause
// The records of a perf.data file that `perf record -z` packed, as one that was not, and those of a folder of files as
// one section. Called by run_report.
//
// perf packs all records of a file as one Zstandard stream, a piece of it per record, and each piece refers to what was
// unpacked before it. So where a piece is damaged or missing, those behind it cannot be unpacked until one begins a
// stream of its own: they are counted, and what lies unpacked between them is kept.
#pragma once
#include <functional>
#include <vector>

#include "analysis/recording/recording_input.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/result.h"

namespace wperf::recording {

bool has_packed_records(const perf_data::PerfFile& file);

struct UnpackedRecords {
  std::vector<std::byte> bytes;     // a record section
  perf_data::EarlierDamage damage;  // of the file
  u64 lost_bytes = 0;               // of that damage: packed, and there, but not to be unpacked
};
// How far it is, now and then: parts of the file.
using UnpackingProgress = std::function<void(u64 passed, u64 all)>;
// What was packed has the byte order of the machine that wrote the file, whoever turned the file around.
enum class PackedOrder : u8 { native, other };
// An error when nothing can be unpacked here. `file_size` bounds what is believed.
diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order,
                                             const UnpackingProgress& tell = {});

// Those of the file, unpacked, and of each further one of the input behind them.
diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order, const UnpackingProgress& tell = {});

}  // namespace wperf::recording
