// SPDX-License-Identifier: BSD-3-Clause
// The losses in a recording. A LOST record has the number of records that did not fit into a ring buffer; it is written
// as soon as there is space again. Kernels since 6.0 also count the losses of each event, and recorders write these
// counts at the end as LOST_SAMPLES. They include the losses in LOST records, and losses for which no LOST record could
// be written. If the kernel does not count losses, LOST_SAMPLES come from the hardware and are additional losses.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/perf_data/perf_file.h"

namespace wperf::recording {

inline bool counts_losses(const perf_data::PerfFile& file) {
  return std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return (event.attributes.read_format & perf_data::kReadLost) != 0;
  });
}

// Estimates the number of records in the damaged parts of the file, from the mean length of the other records.
inline u64 records_in_damage(const perf_data::PerfFile& file, const perf_data::ReadStatistics& statistics) {
  const perf_data::EarlierDamage& earlier = file.earlier_damage();
  const u64 bytes = statistics.damaged_bytes() - earlier.bytes, sound = file.record_bytes().size() - bytes;
  if (bytes == 0 || sound == 0 || statistics.records == 0) return earlier.records_about;
  const double each = static_cast<double>(sound) / static_cast<double>(statistics.records);
  const u64 places = statistics.damaged_places() - earlier.places;
  return earlier.records_about + std::max(places, static_cast<u64>(std::llround(static_cast<double>(bytes) / each)));
}

class RecordedLosses {
 public:
  void add(const perf_data::Lost& lost) { add_to(of_rings_, lost.records); }
  void add(const perf_data::LostSamples& lost) {
    if (!lost.by_filter) add_to(counted_, lost.samples);
  }

  u64 of_rings() const { return of_rings_; }
  // Losses without a LOST record.
  u64 others(bool counts_losses) const { return counts_losses ? counted_ - std::min(counted_, of_rings_) : counted_; }

 private:
  static void add_to(u64& sum, u64 more) { sum += std::min(more, std::numeric_limits<u64>::max() - sum); }

  u64 of_rings_ = 0, counted_ = 0;
};

}  // namespace wperf::recording
