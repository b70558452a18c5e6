// SPDX-License-Identifier: BSD-3-Clause
// Vector instructions that translated code calls as functions, because the host has no short sequence for them:
// integer arithmetic, comparisons, shifts, reductions, permutations, tables, AES, and the data of accesses by
// structures. Saturating and floating-point instructions are not included. No instruction here changes FPSR.
#pragma once
#include "sim/cpu/core_engine.h"

namespace wperf::sim {

using VectorOperation = void (*)(ThreadState&, u32 code);
// Returns null if the instruction is undefined, or is not one of those listed above.
VectorOperation find_vector_operation(u32 code);
// Its parts:
VectorOperation find_lane_operation(u32 code);   // vector_operations.cpp
VectorOperation find_width_operation(u32 code);  // vector_widths.cpp
VectorOperation find_vector_move(u32 code);      // vector_moves.cpp

// An access of one to four registers whose elements alternate in memory: LD2, LD3, LD4, ST2 and so on, of all elements
// or of one. It has `count` consecutive elements of `bytes` bytes each.
struct StructureAccess {
  u32 bytes = 0, count = 0;
  void (*move)(ThreadState&, u32 code, u8* memory) = nullptr;  // null: not such an access, or undefined
};
StructureAccess find_structure_access(u32 code);

}  // namespace wperf::sim
