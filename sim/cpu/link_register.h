// SPDX-License-Identifier: BSD-3-Clause
// Whether an A64 instruction writes x29 or x30, from its encoding (Arm ARM C4.1). Together with the register's value
// before or after a block, this gives the value inside the block.
#pragma once
#include <span>

#include "base/ints.h"

namespace wperf::sim {

inline constexpr u32 kFrameRegister = 29, kLinkRegister = 30;

bool writes_register(u32 word, u32 number);  // `number` is 29 or 30

// How to obtain the value that a register has before the instruction `at` of a block.
struct RegisterValue {
  enum class From : u8 {
    start,  // unchanged since the block's first instruction
    end,    // unchanged up to the block's end
    within  // only while the instructions `first` to `last` are executed
  };
  From from = From::start;
  u32 first = 0, last = 0;
};
RegisterValue register_value_at(std::span<const u32> code, u32 at, u32 number);

}  // namespace wperf::sim
