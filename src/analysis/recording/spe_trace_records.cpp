// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/spe_trace_records.h"

#include "formats/perf_data/format.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::recording {

// Alignment packets depend on their address, so the offset within a page is kept.
void SpeTraceRecords::take(const readings::SpePiece& piece) {
  constexpr u64 kPage = 1 << 16;
  if (piece.bytes.size() > most_bytes_ - taken_) {
    left_out_ += piece.bytes.size();
    return;
  }
  taken_ += piece.bytes.size();
  std::vector<Stretch>& of_core = stretches_[piece.core];
  if (of_core.empty() || piece.after_gap) {
    const u64 end = of_core.empty() ? 0 : of_core.back().offset + of_core.back().bytes.size();
    of_core.push_back({.offset = (end + kPage - 1) / kPage * kPage + piece.buffer_address % kPage, .bytes = {}});
  }
  of_core.back().bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
}

std::string SpeTraceRecords::records(u32 unit_type) const {
  constexpr u64 kPerCore = 1;
  std::string out;
  const u64 parameters[] = {unit_type, kPerCore};
  perf_data::append_auxtrace_info(out, perf_data::kAuxArmSpe, parameters);
  for (const auto& [core, of_core] : stretches_) {
    for (const Stretch& stretch : of_core) perf_data::append_auxtrace(out, core, stretch.offset, stretch.bytes);
  }
  return out;
}

}  // namespace wperf::recording
