// SPDX-License-Identifier: BSD-3-Clause
// Samples of single instructions → how often each basic block ran. All instructions of a block run equally often, so
// the mean of their samples is a better estimate than each one's own: few samples go further, and a slow instruction
// does not stand for its block.
#pragma once
#include "code/modules/code_file.h"
#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::pgo {

// Counts are integers and few samples make small means, so the result is `kBlockScale` times as large, branches too.
inline constexpr u64 kBlockScale = 100;

// The samples as ranges, one for each block that has some. A sample in code that cannot be decoded, or in no known
// function, becomes a range of one instruction. counts: without ranges.
compiler_profiles::AddressCounts block_counts(const modules::CodeFile& file,
                                              const compiler_profiles::AddressCounts& counts);

}  // namespace wperf::pgo
