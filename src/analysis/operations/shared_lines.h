// SPDX-License-Identifier: BSD-3-Clause
// Cache lines that threads may compete for without sharing data in them; ordered by refills and peer answers, the most
// first.
#pragma once
#include <vector>

#include "analysis/operations/spe_memory.h"

namespace wperf::operations {

std::vector<SharedLine> shared_lines(const spe::TouchedData& data, const MemoryInput& input);

}  // namespace wperf::operations
