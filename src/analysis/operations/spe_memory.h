// SPDX-License-Identifier: BSD-3-Clause
// The memory part of the answer: waiting times of accesses, and their reasons.
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

// Lines that threads may be fighting over without sharing data in them: most refills and peer answers first.
std::vector<SharedLine> shared_lines(const spe::TouchedData& data, const MemoryInput& input);

}  // namespace wperf::operations
