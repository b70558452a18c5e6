// SPDX-License-Identifier: BSD-3-Clause
// The memory part of the answer: how long accesses waited, and why.
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

MemoryProfile make_memory_profile(const spe::Aggregator& aggregator, const MemoryInput& input);

// Lines that threads may compete for without sharing data in them; ordered by refills and peer answers, the most first.
std::vector<SharedLine> shared_lines(const spe::TouchedData& data, const MemoryInput& input);

}  // namespace wperf::operations
