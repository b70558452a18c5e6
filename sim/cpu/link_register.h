// SPDX-License-Identifier: BSD-3-Clause
// Whether an A64 instruction writes x30, from its encoding alone (Arm ARM C4.1). Where x30 is known before or after a
// block, this tells what it was in between.
#pragma once
#include <span>

#include "base/ints.h"

namespace wperf::sim {

bool writes_link_register(u32 word);

// Where the value of x30 that the instruction `at` of a block finds can be had.
struct LinkValue {
  enum class From : u8 {
    start,  // unchanged since the block's first instruction
    end,    // and unchanged up to its end
    within  // only while the instructions `first` to `last` are executed
  };
  From from = From::start;
  u32 first = 0, last = 0;
};
LinkValue link_value_at(std::span<const u32> code, u32 at);

}  // namespace wperf::sim
