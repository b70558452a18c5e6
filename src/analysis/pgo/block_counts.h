// SPDX-License-Identifier: BSD-3-Clause
// Estimates from samples of single instructions how often each basic block ran. All instructions of a block run equally
// often, so the mean of their samples is more accurate than the count of one instruction. A block also runs as often as
// execution enters it (consistent_counts), so fewer samples are needed.
#pragma once
#include "analysis/pgo/profile_counts.h"
#include "code/modules/code_file.h"
#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::pgo {

// Counts are integers, but means of few samples are small, so counts and branches are multiplied by this factor.
inline constexpr u64 kBlockScale = 100;

// Returns the samples as ranges, one for each block that probably ran. A sample in code that cannot be decoded, or in
// no known function, becomes a range of one instruction. `counts` must not have ranges.
compiler_profiles::AddressCounts block_counts(const modules::CodeFile& file,
                                              const compiler_profiles::AddressCounts& counts, Population population);

}  // namespace wperf::pgo
