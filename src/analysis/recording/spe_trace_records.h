// SPDX-License-Identifier: BSD-3-Clause
// Converts SPE data from a device to records of a perf.data file, so that SPE data can be read like a recording. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/readings/samples.h"

namespace wperf::recording {

class SpeTraceRecords {
 public:
  explicit SpeTraceRecords(u64 most_bytes) : most_bytes_(most_bytes) {}

  void take(const readings::SpePiece& piece);
  // The records for all bytes so far: AUXTRACE_INFO, then the traces of all cores.
  std::string records(u32 unit_type) const;
  u64 taken() const { return taken_; }        // bytes
  u64 left_out() const { return left_out_; }  // bytes beyond the limit

 private:
  // Bytes that a core wrote without a gap.
  struct Stretch {
    u64 offset = 0;
    std::string bytes;
  };

  std::map<u32, std::vector<Stretch>> stretches_;  // by core
  u64 most_bytes_, taken_ = 0, left_out_ = 0;
};

}  // namespace wperf::recording
