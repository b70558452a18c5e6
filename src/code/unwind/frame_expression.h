// SPDX-License-Identifier: BSD-3-Clause
// DWARF expressions in call frame information, which compute with registers and words of the stack.
#pragma once
#include <optional>

#include "code/unwind/unwinder.h"

namespace wperf::unwind {

// Reads a little-endian number of 1, 2, 4 or 8 bytes; nullopt if the address is outside of the copy.
std::optional<u64> read_stack(const StackCopy& stack, u64 address, u8 size = 8);

struct ExpressionInput {
  const Registers& registers;
  const StackCopy& stack;
  u64 moved_by = 0;
  std::optional<u64> first;  // initial value on the expression's stack
};

// Returns nullopt if the expression is damaged, or needs an unknown value. `beyond` is set to the address that could
// not be read.
std::optional<u64> evaluate(symbols::Bytes expression, const ExpressionInput& input, std::optional<u64>& beyond);

}  // namespace wperf::unwind
