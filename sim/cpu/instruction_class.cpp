// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/instruction_class.h"

namespace wperf::sim {
namespace {

constexpr u32 field(u32 word, u32 high, u32 low) {
  return word >> low & ((u32{1} << (high - low + 1)) - 1);
}
constexpr bool bit(u32 word, u32 index) {
  return (word >> index & 1) != 0;
}

constexpr void add(Instruction& to, Trait trait, bool present = true) {
  to.traits |= u32{present} << static_cast<u32>(trait);
}
constexpr u32 sign_extend(u32 value, u32 bits) {
  const u32 sign = u32{1} << (bits - 1);
  return (value ^ sign) - sign;
}

void set_access(Instruction& to, bool load, u32 bytes, u32 count) {
  add(to, load ? Trait::load : Trait::store);
  to.access_bytes = static_cast<u8>(bytes);
  to.access_count = static_cast<u8>(count);
  to.micro_ops = static_cast<u8>(count);
}

// Compare-and-swap, swap and fetch-and-operate: one load and one store.
void set_atomic(Instruction& to, u32 bytes, u32 count, bool acquire, bool release) {
  set_access(to, true, bytes, count);
  add(to, Trait::store);
  add(to, Trait::acquire, acquire);
  add(to, Trait::release, release);
  to.micro_ops = static_cast<u8>(2 * count);
}

void classify_branch_register(u32 word, Instruction& to) {
  add(to, Trait::branch_indirect);
  switch (field(word, 22, 21)) {  // bit 24 only selects whether a pointer authentication key is used
    case 0:
      to.branch = BranchKind::indirect_jump;
      return;
    case 1:
      to.branch = BranchKind::indirect_call;
      return;
    case 2:
      to.branch = BranchKind::procedure_return;
      add(to, Trait::branch_return);
      return;
    default:
      return;
  }
}

void classify_system(u32 word, Instruction& to) {
  if (field(word, 31, 12) == 0xd5033) {
    const u32 operation = field(word, 7, 5);
    add(to, Trait::isb, operation == 6);
    add(to, Trait::dsb, operation == 4 || operation == 1);
    add(to, Trait::dmb, operation == 5);
  } else if ((word & 0xffffffe0) == 0xd50b7420) {
    set_access(to, false, 64, 1);
    add(to, Trait::zero_line);
  } else if ((word & 0xffdfffc0) == 0xd51b4400) {  // MSR or MRS of FPCR, FPSR
    add(to, Trait::vector_register);
  }
}

void classify_branch(u32 word, Instruction& to) {
  if (field(word, 30, 26) == 0x05) {
    to.branch = bit(word, 31) ? BranchKind::call : BranchKind::jump;
    to.branch_offset = sign_extend(field(word, 25, 0), 26) * 4;
  } else if (field(word, 30, 25) == 0x1a || field(word, 31, 24) == 0x54) {
    to.branch = BranchKind::conditional;
    to.branch_offset = sign_extend(field(word, 23, 5), 19) * 4;
  } else if (field(word, 30, 25) == 0x1b) {
    to.branch = BranchKind::conditional;
    to.branch_offset = sign_extend(field(word, 18, 5), 14) * 4;
  } else if (field(word, 31, 25) == 0x6b && !bit(word, 23)) {
    classify_branch_register(word, to);
    return;
  } else if (field(word, 31, 22) == 0x354) {
    classify_system(word, to);
    return;
  } else {
    return;  // SVC, BRK and similar instructions
  }
  add(to, Trait::branch_immediate);
}

void classify_exclusive(u32 word, Instruction& to) {
  const u32 bytes = 1U << field(word, 31, 30);
  const bool load = bit(word, 22);
  const bool ordered = bit(word, 15);
  if (bit(word, 23)) {
    if (bit(word, 21)) return set_atomic(to, bytes, 1, load, ordered);  // CAS
    set_access(to, load, bytes, 1);                                     // LDAR, STLR and their limited-order forms
    add(to, load ? Trait::acquire : Trait::release);
    return;
  }
  if (bit(word, 21) && !bit(word, 31)) return set_atomic(to, bit(word, 30) ? 8 : 4, 2, load, ordered);  // CASP
  set_access(to, load, bytes, bit(word, 21) ? 2 : 1);
  add(to, load ? Trait::load_exclusive : Trait::store_exclusive);
  add(to, load ? Trait::acquire : Trait::release, ordered);
}

void classify_structures(u32 word, Instruction& to) {
  add(to, Trait::vector_register);
  if (!bit(word, 24)) {  // whole registers
    static constexpr u8 kRegisters[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
    set_access(to, bit(word, 22), bit(word, 30) ? 16 : 8, kRegisters[field(word, 15, 12)]);
    return;
  }
  const u32 opcode = field(word, 15, 13);
  const u32 elements = ((opcode & 1) << 1 | u32{bit(word, 21)}) + 1;
  u32 scale = opcode >> 1;
  if (scale == 3) scale = field(word, 11, 10);  // LD1R…
  if (scale == 2 && bit(word, 10)) scale = 3;   // lanes of 64 bits
  set_access(to, bit(word, 22), 1U << scale, elements);
}

void classify_pair(u32 word, Instruction& to) {
  const u32 size = field(word, 31, 30);
  const bool vector = bit(word, 26);
  add(to, Trait::vector_register, vector);
  const u32 bytes = vector ? 4U << size : size == 2 ? 8 : size == 1 && !bit(word, 22) ? 16 : 4;
  set_access(to, bit(word, 22), bytes, size == 1 && !vector && !bit(word, 22) ? 1 : 2);
}

void classify_atomic(u32 word, Instruction& to) {
  const u32 bytes = 1U << field(word, 31, 30);
  const u32 operation = field(word, 15, 12);
  if (operation == 0xc) {  // LDAPR
    set_access(to, true, bytes, 1);
    add(to, Trait::acquire);
  } else if (operation == 0xd || (operation >= 0x9 && operation <= 0xb)) {  // LD64B, ST64B…
    set_access(to, operation == 0xd, 64, 1);
  } else {
    set_atomic(to, bytes, 1, bit(word, 23), bit(word, 22));
  }
}

void classify_single(u32 word, Instruction& to) {
  const bool vector = bit(word, 26);
  const u32 size = field(word, 31, 30);
  const u32 operation = field(word, 23, 22);
  if (!bit(word, 24) && bit(word, 21) && !vector) {
    if (field(word, 11, 10) == 0) return classify_atomic(word, to);
    if (bit(word, 10)) return set_access(to, true, 8, 1);  // LDRAA, LDRAB
  }
  if (!vector && size == 3 && operation == 2) return;  // PRFM
  add(to, Trait::vector_register, vector);
  const bool wide = vector && operation >= 2;
  set_access(to, vector ? (operation & 1) != 0 : operation != 0, wide ? 16 : 1U << size, 1);
}

void classify_load_store(u32 word, Instruction& to) {
  switch (field(word, 29, 27)) {
    case 1:
      if (bit(word, 26)) return classify_structures(word, to);
      if (!bit(word, 24)) classify_exclusive(word, to);
      return;
    case 3:
      if (!bit(word, 24)) {  // literal
        const u32 size = field(word, 31, 30);
        add(to, Trait::vector_register, bit(word, 26));
        if (bit(word, 26)) return set_access(to, true, 4U << size, 1);
        if (size != 3) set_access(to, true, size == 1 ? 8 : 4, 1);
      } else if (!bit(word, 21) && field(word, 11, 10) == 0) {  // LDAPUR, STLUR
        const bool load = field(word, 23, 22) != 0;
        set_access(to, load, 1U << field(word, 31, 30), 1);
        add(to, load ? Trait::acquire : Trait::release);
      } else if (bit(word, 21) && field(word, 31, 30) == 3) {  // memory tags
        set_access(to, bit(word, 22) && field(word, 11, 10) == 0, 16, 1);
      }
      return;
    case 5:
      return classify_pair(word, to);
    case 7:
      return classify_single(word, to);
    default:
      return;
  }
}

void classify_scalar_float(u32 word, Instruction& to) {
  const bool conversion = !bit(word, 24) && bit(word, 21) && field(word, 15, 10) == 0;
  if (conversion && field(word, 18, 17) == 3 && !bit(word, 20)) return;  // FMOV to or from a general register
  add(to, Trait::floating_point);
  if (bit(word, 24) || !bit(word, 21)) return;
  const bool divide = field(word, 11, 10) == 2 && field(word, 15, 12) == 1;
  const bool square_root = field(word, 14, 10) == 0x10 && field(word, 20, 15) == 3;
  add(to, Trait::float_divide, divide || square_root);
}

bool is_crypto(u32 word) {
  const u32 top = field(word, 31, 24);
  if (top == 0xce) return true;  // SHA512, SHA3, SM3, SM4
  const bool two_registers = field(word, 21, 17) == 0x14 && field(word, 11, 10) == 2;
  const bool three_registers = field(word, 23, 21) == 0 && !bit(word, 15) && field(word, 11, 10) == 0;
  return (top == 0x4e && two_registers) || (top == 0x5e && (two_registers || three_registers));
}

void classify_vector(u32 word, Instruction& to) {
  add(to, Trait::vector_register);
  if (!bit(word, 30) && field(word, 28, 25) == 0xf) return classify_scalar_float(word, to);
  if (is_crypto(word)) return add(to, Trait::crypto);
  const bool copy = field(word, 28, 21) == 0x70 && !bit(word, 15) && bit(word, 10);
  const u32 copy_kind = field(word, 14, 11);
  if (copy && !bit(word, 29) && copy_kind != 0) return;  // DUP, INS, SMOV, UMOV with a general register
  add(to, Trait::advanced_simd);
  const bool divide = (word & 0xbfa0fc00) == 0x2e20fc00;
  const bool square_root = (word & 0xbfbffc00) == 0x2ea1f800;
  add(to, Trait::float_divide, divide || square_root);
}

}  // namespace

Instruction classify_instruction(u32 word) {
  Instruction result;
  const u32 group = field(word, 28, 25);
  if ((group & 0xe) == 0x8) {
    add(result, Trait::data_processing);
  } else if ((group & 0xe) == 0xa) {
    classify_branch(word, result);
  } else if ((group & 0x5) == 0x4) {
    classify_load_store(word, result);
  } else if ((group & 0x7) == 0x5) {
    add(result, Trait::data_processing);
    add(result, Trait::integer_divide, (word & 0x7fe0f800) == 0x1ac00800);
  } else if ((group & 0x7) == 0x7) {
    classify_vector(word, result);
  }
  return result;
}

}  // namespace wperf::sim
