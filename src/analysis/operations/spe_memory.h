// SPDX-License-Identifier: BSD-3-Clause
// The memory part of the profile: how long accesses waited, and why.
#pragma once
#include <vector>

#include "analysis/operations/spe_places.h"
#include "analysis/operations/spe_profile.h"
#include "formats/spe/aggregator.h"

namespace wperf::operations {

struct MemoryInput {
  SpePlaces& places;
  const std::vector<u32>& code_place_of;  // by place number: index into `code`
  const std::vector<CodePlace>& code;

  u32 code_place(const spe::Site& site) const { return code_place_of[places.number_of(site)]; }
  u32 code_place(u32 site) const { return code_place_of[places.number_of_site(site)]; }
};

inline double mean_latency(const spe::DataCounts& counts) {
  return counts.timed == 0 ? 0 : static_cast<double>(counts.latency) / static_cast<double>(counts.timed);
}

MemoryProfile make_memory_profile(const spe::Aggregator& aggregator, const MemoryInput& input);

}  // namespace wperf::operations
