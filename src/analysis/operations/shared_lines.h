// SPDX-License-Identifier: BSD-3-Clause
// Lines that threads may be fighting over without sharing data in them: most refills and peer answers first.
#pragma once
#include <vector>

#include "analysis/operations/spe_memory.h"

namespace wperf::operations {

std::vector<SharedLine> shared_lines(const spe::TouchedData& data, const MemoryInput& input);

}  // namespace wperf::operations
