// SPDX-License-Identifier: BSD-3-Clause
// The records of a perf.data file that `perf record -z` packed, as one that was not, and those of a folder of files as
// one section. Called by run_report.
#pragma once
#include <string>
#include <vector>

#include "diag/result.h"
#include "import/perf_data/perf_file.h"
#include "recording/recording_input.h"

namespace wperf::recording {

bool has_packed_records(const perf_data::PerfFile& file);

struct UnpackedRecords {
  std::vector<std::byte> bytes;  // a record section
  std::string trouble;           // why it ends before the file does; empty: it doesn't
};
// What was packed has the byte order of the machine that wrote the file, whoever turned the file around.
enum class PackedOrder : u8 { native, other };
// An error when nothing can be unpacked here. `file_size` bounds what is believed.
diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order);

// Those of the file, unpacked, and of each further one of the input behind them.
diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order);

}  // namespace wperf::recording
