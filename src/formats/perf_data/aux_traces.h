// SPDX-License-Identifier: BSD-3-Clause
// The hardware traces (AUX data) in a perf.data file: the PMU that wrote them, the bytes of each CPU or thread in the
// order of writing, the places where data was lost, and the conversion of their timestamps to perf's time. Does not
// interpret the bytes; formats/spe interprets the bytes of Arm SPE.
#pragma once
#include "formats/perf_data/perf_file.h"

namespace wperf::perf_data {

inline constexpr u32 kAnyCpu = ~u32{0};

struct AuxCpu {
  u64 cpu = 0, midr = 0, pmu_type = 0, minimum_interval = 0;
};

// AUXTRACE_INFO. Only the parameters of Arm SPE are read.
struct AuxInfo {
  u32 type = 0;  // kAuxArmSpe, …
  Words parameters;
  u32 version = 0;  // version of the parameters: 1 or 2, 0 if they are malformed
  u64 pmu_type = 0;
  bool per_cpu = false;      // one buffer for each CPU instead of each thread; only in version 1
  std::vector<AuxCpu> cpus;  // only in version 2; if empty, see the feature cpu_id
};

// An AUXTRACE record: bytes that perf read from a buffer at once.
struct AuxBuffer {
  u32 cpu = kAnyCpu, tid = 0, index = 0;
  u64 offset = 0;  // position of its first byte since the buffer was opened
  u64 size = 0;    // the size at writing; more than bytes.size() in a truncated file
  u64 reference = 0;
  u64 file_offset = 0;
  Bytes bytes;
};

// An AUX record: bytes that the hardware wrote at once.
struct AuxChunk {
  u32 cpu = kAnyCpu, pid = 0, tid = 0;
  u64 time = 0;  // when perf read the bytes; 0 if the file does not say
  u64 offset = 0, size = 0;
  u64 flags = 0;  // kAux… bits
};

// Bytes of a buffer that were written at once; a decoder must restart at each stretch.
struct AuxStretch {
  Bytes bytes;
  u64 offset = 0;
  const AuxChunk* chunk = nullptr;  // null if no record covers these bytes
};

// Converts timestamps of the hardware's counter to the nanoseconds of samples.
struct TimeConversion {
  u64 multiplier = 0, zero = 0, cycles = 0, mask = ~u64{0};
  u32 shift = 0;
  bool has_zero = false;  // if false, the offset to perf's time is unknown, and `zero` is a guess
  u64 to_perf_ns(u64 timestamp) const {
    const u64 ticks = cycles + ((timestamp - cycles) & mask);  // the counter may be narrower than 64 bits
    const u64 whole = ticks >> shift;
    const u64 part = ticks & ((u64{1} << shift) - 1);
    return zero + whole * multiplier + ((part * multiplier) >> shift);
  }
};

class AuxTraces {
 public:
  static AuxTraces collect(const PerfFile& file);

  const std::optional<AuxInfo>& info() const { return info_; }
  const std::vector<AuxBuffer>& buffers() const { return buffers_; }  // ordered by CPU, thread, offset
  const std::vector<AuxChunk>& chunks() const { return chunks_; }     // in the same order
  const std::optional<TimeConversion>& time() const { return time_; }
  const ReadStatistics& statistics() const { return statistics_; }
  u64 size() const;     // the number of bytes of all buffers in the file
  u64 missing() const;  // bytes that should be in the file but are missing

  // Divides the bytes of a buffer by its chunks, without gaps.
  std::vector<AuxStretch> stretches_of(const AuxBuffer& buffer) const;

 private:
  void sort();
  void find_covering();

  std::optional<AuxInfo> info_;
  std::optional<TimeConversion> time_;
  std::vector<AuxBuffer> buffers_;
  std::vector<AuxChunk> chunks_;
  std::vector<usize> covering_;  // chunks with bytes that no earlier chunk has
  ReadStatistics statistics_;
};

}  // namespace wperf::perf_data
