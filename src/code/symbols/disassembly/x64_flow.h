// SPDX-License-Identifier: BSD-3-Clause
// The lengths and jumps of the x64 instructions that compilers use most, without a disassembly library, which is ten
// times slower because it also writes text.
#pragma once
#include <optional>
#include <span>

#include "code/symbols/disassembly/instruction_flow.h"

namespace wperf::symbols {

// Returns nullopt for any other instruction, which the library must decode.
std::optional<InstructionFlow> common_x64_flow(std::span<const std::byte> code, u64 address);

}  // namespace wperf::symbols
