// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a perf.data file with branch stacks and SPE records. Each branch is counted once, even if the file of its
// code is not known.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "analysis/pgo/branch_stacks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wperf;
  const auto file = perf_data::PerfFile::open(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  const recording::RecordedSamples nothing_known;
  pgo::ProfileCounts counts;
  pgo::add_branch_stacks(file.value(), nothing_known, false, counts);
  u64 branches = 0;
  file.value().for_each_record(perf_data::Visitors{[&](const perf_data::Sample& sample, const perf_data::Record&) {
    const auto& events = file.value().attrs();
    const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
    if (event >= events.size()) return;
    if ((events[event].attributes.branch_sample_type & perf_data::kBranchCallStack) != 0) return;
    branches += sample.branches.size();
  }});
  const pgo::Drops& drops = counts.drops;
  if (drops.branches_elsewhere + drops.branches_without_file != branches || !counts.binaries.empty()) std::abort();
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(file.value());
  if (!traces.buffers().empty()) pgo::add_spe_branches(file.value(), traces, nothing_known, false, counts);
  return 0;
}
