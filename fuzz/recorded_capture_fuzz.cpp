// SPDX-License-Identifier: BSD-3-Clause
// A perf.data file as a recording of this machine: nothing is lost between samples and tallies, and addresses are moved
// to homes that do not wrap.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "recording/code_homes.h"
#include "recording/recorded_capture.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wperf;
  const auto file = perf_data::PerfFile::open(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  raw::SampleCapture capture = recording::capture_of(file.value(), {"cpu-clock", "page-faults"});
  u64 taken = 0, lost = 0;
  for (const raw::CoreTally& tally : capture.tallies) {
    taken += tally.taken;
    lost += tally.lost_ring_full;
  }
  if (taken != capture.samples.size() + lost) std::abort();
  const perf_data::TaskHistory history = perf_data::TaskHistory::collect(file.value());
  recording::RecordedJit jit;
  u64 end = 0;
  std::vector<recording::CodeHome> homes = recording::move_home(history, jit, capture.samples);
  std::sort(homes.begin(), homes.end(), [](const auto& a, const auto& b) { return a.home < b.home; });
  for (const recording::CodeHome& one : homes) {
    if (one.home < end || one.home + one.size < one.home) std::abort();
    end = one.home + one.size;
  }
  return 0;
}
