// SPDX-License-Identifier: BSD-3-Clause
// The class of an A64 instruction for the PMU, read only from its encoding (Arm ARM C4.1, "A64 instruction set
// encoding"). Pure; called for each instruction when its block is first executed.
#pragma once
#include "base/ints.h"

namespace wperf::sim {

// A property that some PMU event counts. An instruction may have several: LDADDAL is load, store, acquire and release.
enum class Trait : u8 {
  load,             // not prefetches
  store,            // DC ZVA too
  data_processing,  // integer
  advanced_simd,    // by encoding group, except the three below
  floating_point,   // scalar; not FMOV between general and vector registers
  crypto,           // AES, SHA, SM3, SM4
  load_exclusive,
  store_exclusive,
  acquire,
  release,
  isb,
  dsb,
  dmb,
  branch_immediate,  // conditional or not
  branch_indirect,   // returns too
  branch_return,
  integer_divide,   // from here on: classes without separate events, used by the cycle model
  float_divide,     // and square root
  vector_register,  // reads or writes V registers, FPCR or FPSR
  zero_line,        // DC ZVA
  count_
};
inline constexpr u32 kTraitCount = static_cast<u32>(Trait::count_);

enum class BranchKind : u8 { none, jump, call, conditional, indirect_jump, indirect_call, procedure_return };

struct Instruction {
  u32 traits = 0;  // bit per Trait
  BranchKind branch = BranchKind::none;
  u8 access_bytes = 0;  // loads and stores: size of one register or element
  u8 access_count = 0;  // registers or elements moved: 2 for a pair
  u8 micro_ops = 1;
  u32 branch_offset = 0;  // immediate branches: target minus own address, two's complement

  constexpr bool is(Trait trait) const { return (traits >> static_cast<u32>(trait) & 1) != 0; }
};

// Undefined and unknown encodings have no traits.
Instruction classify_instruction(u32 word);

// NOP, BTI, signing and checking of return addresses (which Windows does not turn on), and the like. YIELD, WFE and WFI
// are not among them.
constexpr bool is_hint_without_effect(u32 word) {
  const u32 number = word >> 5 & 0x7f;
  return (word & 0xfffff01f) == 0xd503201f && (number == 0 || number > 3);
}

}  // namespace wperf::sim
