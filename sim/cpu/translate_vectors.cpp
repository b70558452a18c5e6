// SPDX-License-Identifier: BSD-3-Clause
// Some instructions on whole vector registers (Arm ARM C4.1.96) and their accesses by elements: constants, copies,
// integer and logical operations, and floating-point arithmetic; see translate_floats.cpp for its results.
#include <optional>

#include "sim/cpu/block_translator.h"
#include "sim/cpu/vector_operations.h"

#if WPERF_TRANSLATES

namespace wperf::sim {
namespace {

constexpr u64 repeated(u64 value, u32 bits) {
  for (; bits < 64; bits *= 2) value |= value << bits;
  return value;
}

// AdvSIMDExpandImm of the Arm ARM, for MOVI and MVNI.
std::optional<u64> vector_constant(bool invert, u32 cmode, u32 imm8) {
  u64 value = 0;
  if (cmode < 8) {
    value = repeated(u64{imm8} << (cmode >> 1) * 8, 32);
  } else if (cmode < 12) {
    value = repeated(u64{imm8} << (cmode >> 1 & 1) * 8, 16);
  } else if (cmode < 14) {
    value = repeated(cmode == 12 ? u64{imm8} << 8 | 0xff : u64{imm8} << 16 | 0xffff, 32);
  } else if (cmode == 14) {
    if (!invert) return repeated(imm8, 8);
    for (u32 i = 0; i < 8; ++i)
      if ((imm8 >> i & 1) != 0) value |= u64{0xff} << i * 8;
    return value;
  } else {
    return std::nullopt;
  }
  return invert ? ~value : value;
}

}  // namespace

// Uses instructions of the host if there are any, otherwise a function.
bool BlockTranslator::vector_data(u32 code) {
  if (!is_set(code, 28) && host_vector_data(code)) return true;
  const VectorOperation operation = find_vector_operation(code);
  if (operation == nullptr) return false;
  flags_live_ = false;
  call_function(reinterpret_cast<u64>(operation), code);
  return true;
}

// Calls function(thread, code, rdx).
void BlockTranslator::call_function(u64 function, u32 code) {
  mov(rdi, rbx);
  mov(esi, code);
  mov(rax, function);
  call(rax);
}

// If the result is false, code without effect may have been written.
bool BlockTranslator::host_vector_data(u32 code) {
  if ((code & 0x9ff80c00) == 0x0f000400) return vector_immediate(code);
  if ((code & 0x9f800400) == 0x0f000400) return vector_shift(code);
  if ((code & 0x9fe08400) == 0x0e000400) return vector_copy(code);
  if ((code & 0x9f200400) != 0x0e200400) return false;
  return bits_of(code, 15, 11) >= 0x18 ? vector_floats(code) : three_vectors(code);
}

void BlockTranslator::load_vector(const Xbyak::Xmm& to, u32 number, bool whole) {
  whole ? movups(to, ptr[vector(number)]) : movq(to, qword[vector(number)]);
}
void BlockTranslator::store_vector(u32 number, bool whole) {
  if (!whole) movq(xmm0, xmm0);  // the upper half becomes zero
  movups(ptr[vector(number)], xmm0);
}

bool BlockTranslator::vector_immediate(u32 code) {
  const u32 cmode = bits_of(code, 15, 12), to = bits_of(code, 4, 0);
  const u32 imm8 = bits_of(code, 18, 16) << 5 | bits_of(code, 9, 5);
  if (cmode < 12 && (cmode & 1) != 0) return false;  // ORR, BIC
  const std::optional<u64> value = vector_constant(is_set(code, 29), cmode, imm8);
  if (!value.has_value()) return false;
  mov(rcx, *value);
  store_scalar(to);
  if (is_set(code, 30)) mov(qword[vector(to, 8)], rcx);
  return true;
}

// USHLL, SSHLL, SHL, USHR, SSHR
bool BlockTranslator::vector_shift(u32 code) {
  const u32 high = bits_of(code, 22, 19), amount = bits_of(code, 22, 16), operation = bits_of(code, 15, 11);
  const bool whole = is_set(code, 30), is_unsigned = is_set(code, 29);
  if (high == 0) return false;
  u32 size = 3;  // the number of the highest bit of `high`
  while (size > 0 && (high >> size) == 0) --size;
  const u32 bits = 8U << size, to = bits_of(code, 4, 0), from = bits_of(code, 9, 5);
  if (operation == 0x14 && size < 3) {
    flags_live_ = false;
    movq(xmm0, qword[vector(from, whole ? 8 : 0)]);
    widen(size, is_unsigned);
    shift_left(size + 1, amount - bits);
    store_vector(to, true);
    return true;
  }
  const bool left = operation == 0x0a && !is_unsigned;
  if (size == 0 || (size == 3 && !whole) || (!left && operation != 0)) return false;
  if (!left && !is_unsigned && size == 3) return false;
  load_vector(xmm0, from, whole);
  if (left) {
    shift_left(size, amount - bits);
  } else {
    const auto by = static_cast<u8>(2 * bits - amount);
    if (is_unsigned) {
      size == 1 ? psrlw(xmm0, by) : size == 2 ? psrld(xmm0, by) : psrlq(xmm0, by);
    } else {
      size == 1 ? psraw(xmm0, by) : psrad(xmm0, by);
    }
  }
  store_vector(to, whole);
  return true;
}

// Widens the elements of the lower half of xmm0 to twice as many bits.
void BlockTranslator::widen(u32 size, bool is_unsigned) {
  pxor(xmm1, xmm1);
  if (!is_unsigned) size == 0 ? pcmpgtb(xmm1, xmm0) : size == 1 ? pcmpgtw(xmm1, xmm0) : pcmpgtd(xmm1, xmm0);
  size == 0 ? punpcklbw(xmm0, xmm1) : size == 1 ? punpcklwd(xmm0, xmm1) : punpckldq(xmm0, xmm1);
}
void BlockTranslator::shift_left(u32 size, u32 amount) {
  if (amount == 0) return;
  const auto by = static_cast<u8>(amount);
  size == 1 ? psllw(xmm0, by) : size == 2 ? pslld(xmm0, by) : psllq(xmm0, by);
}

// DUP, INS, UMOV, SMOV
bool BlockTranslator::vector_copy(u32 code) {
  const u32 imm5 = bits_of(code, 20, 16), operation = bits_of(code, 14, 11);
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5);
  const bool whole = is_set(code, 30);
  u32 size = 0;
  while (size < 4 && (imm5 >> size & 1) == 0) ++size;
  if (size == 4) return false;
  const u32 bytes = 1U << size, index = imm5 >> (size + 1);
  const Xbyak::RegExp element = vector(from, usize{index} * bytes);
  if (is_set(code, 29)) {  // INS from an element
    if (!whole) return false;
    read_part({0, bytes}, vector(from, usize{operation >> size} * bytes));
    write_part(bytes, vector(to, usize{index} * bytes));
    return true;
  }
  switch (operation) {
    case 0:
    case 1:
      if (size == 3 && !whole) return false;
      operation == 0 ? read_part({0, bytes}, element) : load(rcx, from, true);
      repeat(bytes, to, whole);
      return true;
    case 3:
      if (!whole) return false;
      load(rcx, from, true);
      write_part(bytes, vector(to, usize{index} * bytes));
      return true;
    case 5:
    case 7: {
      const bool sign = operation == 5;
      if (sign ? bytes > (whole ? 4U : 2U) : (bytes == 8) != whole) return false;
      if (to != 31) move_part({0, bytes, false, sign, whole}, element, rbx + usize{to} * 8, false);
      return true;
    }
    default:
      return false;
  }
}

// Repeats the lowest `bytes` of rcx in each element.
void BlockTranslator::repeat(u32 bytes, u32 to, bool whole) {
  if (bytes < 8) {
    flags_live_ = false;
    bytes == 1 ? movzx(ecx, cl) : bytes == 2 ? movzx(ecx, cx) : mov(ecx, ecx);
    mov(rax, repeated(1, bytes * 8));
    imul(rcx, rax);
  }
  store_scalar(to);
  if (whole) mov(qword[vector(to, 8)], rcx);
}

bool BlockTranslator::three_vectors(u32 code) {
  const u32 size = bits_of(code, 23, 22), operation = bits_of(code, 15, 11), to = bits_of(code, 4, 0);
  const bool whole = is_set(code, 30), other = is_set(code, 29);
  if (size == 3 && !whole && operation != 3) return false;
  load_vector(xmm0, bits_of(code, 9, 5), whole);
  load_vector(xmm1, bits_of(code, 20, 16), whole);
  switch (operation) {
    case 0x03:
      other ? select_bits(size, to, whole) : combine_bits(size);
      break;
    case 0x10:
      if (other) {
        size == 0   ? psubb(xmm0, xmm1)
        : size == 1 ? psubw(xmm0, xmm1)
        : size == 2 ? psubd(xmm0, xmm1)
                    : psubq(xmm0, xmm1);
      } else {
        size == 0   ? paddb(xmm0, xmm1)
        : size == 1 ? paddw(xmm0, xmm1)
        : size == 2 ? paddd(xmm0, xmm1)
                    : paddq(xmm0, xmm1);
      }
      break;
    case 0x11:  // CMEQ
      if (!other || size == 3) return false;
      size == 0 ? pcmpeqb(xmm0, xmm1) : size == 1 ? pcmpeqw(xmm0, xmm1) : pcmpeqd(xmm0, xmm1);
      break;
    case 0x12:
    case 0x13:  // MUL, MLA, MLS
      if ((operation == 0x13 && other) || size == 0 || size == 3 || (size == 2 && !context_.has_sse4)) return false;
      size == 1 ? pmullw(xmm0, xmm1) : pmulld(xmm0, xmm1);
      if (operation == 0x12) add_product(size, other, to, whole);
      break;
    case 0x06:  // CMGT
      if (other || size == 3) return false;
      size == 0 ? pcmpgtb(xmm0, xmm1) : size == 1 ? pcmpgtw(xmm0, xmm1) : pcmpgtd(xmm0, xmm1);
      break;
    case 0x07:  // CMHS of bytes
      if (!other || size != 0) return false;
      pmaxub(xmm1, xmm0);
      pcmpeqb(xmm0, xmm1);
      break;
    case 0x0c:
    case 0x0d:  // UMAX, UMIN of bytes
      if (!other || size != 0) return false;
      operation == 0x0c ? pmaxub(xmm0, xmm1) : pminub(xmm0, xmm1);
      break;
    default:
      return false;
  }
  store_vector(to, whole);
  return true;
}

// Adds xmm0 to the old value, or subtracts it.
void BlockTranslator::add_product(u32 size, bool subtract, u32 to, bool whole) {
  movaps(xmm1, xmm0);
  load_vector(xmm0, to, whole);
  if (subtract) return size == 1 ? psubw(xmm0, xmm1) : psubd(xmm0, xmm1);
  size == 1 ? paddw(xmm0, xmm1) : paddd(xmm0, xmm1);
}

// AND, BIC, ORR, ORN
void BlockTranslator::combine_bits(u32 kind) {
  if ((kind & 1) != 0) {
    pcmpeqd(xmm2, xmm2);
    pxor(xmm1, xmm2);
  }
  kind < 2 ? pand(xmm0, xmm1) : por(xmm0, xmm1);
}
// EOR, BSL, BIT, BIF
void BlockTranslator::select_bits(u32 kind, u32 to, bool whole) {
  if (kind == 0) return pxor(xmm0, xmm1);
  load_vector(xmm2, to, whole);
  if (kind == 1) {  // the old value chooses between the other two
    pxor(xmm0, xmm1);
    pand(xmm0, xmm2);
    return pxor(xmm0, xmm1);
  }
  pxor(xmm0, xmm2);
  if (kind == 3) {
    pandn(xmm1, xmm0);
    movaps(xmm0, xmm1);
  } else {
    pand(xmm0, xmm1);
  }
  pxor(xmm0, xmm2);
}

// FADD, FSUB, FMUL, FDIV, FMLA, FMLS
bool BlockTranslator::vector_floats(u32 code) {
  const u32 operation = bits_of(code, 15, 11), to = bits_of(code, 4, 0);
  const bool whole = is_set(code, 30), wide = is_set(code, 22), second = is_set(code, 23), other = is_set(code, 29);
  if (wide && !whole) return false;
  const bool sum = operation == 0x1a && !other, product = operation == 0x1b && other && !second;
  const bool quotient = operation == 0x1f && other && !second && whole;  // half a register would divide 0 by 0
  const bool fused = operation == 0x19 && !other && context_.has_fma;
  if (!sum && !product && !quotient && !fused) return false;
  flags_live_ = false;
  load_vector(fused ? xmm1 : xmm0, bits_of(code, 9, 5), whole);
  load_vector(fused ? xmm2 : xmm1, bits_of(code, 20, 16), whole);
  if (sum) {
    if (second) {
      wide ? subpd(xmm0, xmm1) : subps(xmm0, xmm1);
    } else {
      wide ? addpd(xmm0, xmm1) : addps(xmm0, xmm1);
    }
  } else if (product) {
    wide ? mulpd(xmm0, xmm1) : mulps(xmm0, xmm1);
  } else if (quotient) {
    wide ? divpd(xmm0, xmm1) : divps(xmm0, xmm1);
  } else {
    load_vector(xmm0, to, whole);
    if (second) {
      wide ? vfnmadd231pd(xmm0, xmm1, xmm2) : vfnmadd231ps(xmm0, xmm1, xmm2);
    } else {
      wide ? vfmadd231pd(xmm0, xmm1, xmm2) : vfmadd231ps(xmm0, xmm1, xmm2);
    }
  }
  check_floats(wide, !sum);
  store_vector(to, whole);
  return true;
}

// Hands the instruction back if an element of xmm0 is a NaN, or tiny.
void BlockTranslator::check_floats(bool wide, bool may_be_tiny) {
  Label& back = unicorn_executes();
  movaps(xmm1, xmm0);
  wide ? cmpunordpd(xmm1, xmm0) : cmpunordps(xmm1, xmm0);
  wide ? movmskpd(eax, xmm1) : movmskps(eax, xmm1);
  test(eax, eax);
  jnz(back, T_NEAR);
  if (!may_be_tiny) return;
  if (wide) {
    movq(rcx, xmm0);
    jump_if_tiny(back, true);
    movhlps(xmm1, xmm0);
    movq(rcx, xmm1);
    return jump_if_tiny(back, true);
  }
  movaps(xmm1, xmm0);  // as in jump_if_tiny(), but compared as signed numbers: both sides are 2^31 larger
  mov(eax, 0x81000000U);
  movd(xmm2, eax);
  pshufd(xmm2, xmm2, 0);
  mov(eax, 0x7fffffff);
  movd(xmm3, eax);
  pshufd(xmm3, xmm3, 0);
  paddd(xmm1, xmm1);
  paddd(xmm1, xmm3);
  pcmpgtd(xmm2, xmm1);
  movmskps(eax, xmm2);
  test(eax, eax);
  jnz(back, T_NEAR);
}

// LD1, ST1 of one to four whole registers
bool BlockTranslator::load_store_structure(u32 code) {
  static constexpr u8 kRegisters[16] = {0, 0, 4, 0, 0, 0, 3, 1, 0, 0, 2};
  const u32 count = kRegisters[bits_of(code, 15, 12)], base = bits_of(code, 9, 5), by = bits_of(code, 20, 16);
  const bool write = !is_set(code, 22), writes_back = is_set(code, 23);
  if (count == 0) return load_store_elements(code);
  if (is_set(code, 31) || is_set(code, 21) || (!writes_back && by != 0)) return false;
  const u32 bytes = is_set(code, 30) ? 16 : 8;
  flags_live_ = false;
  mov(rax, guest(base));
  find_memory({bytes, count, write});
  for (u32 i = 0; i < count; ++i) move({(bits_of(code, 4, 0) + i) % 32, bytes, true}, i * bytes, write);
  if (!writes_back) return true;
  by == 31 ? mov(rcx, u64{bytes} * count) : mov(rcx, guest(by));
  add(guest(base), rcx);
  return true;
}

// Accesses whose elements alternate between registers, or of one element
bool BlockTranslator::load_store_elements(u32 code) {
  const StructureAccess access = find_structure_access(code);
  if (access.move == nullptr) return false;
  const u32 base = bits_of(code, 9, 5), by = bits_of(code, 20, 16);
  flags_live_ = false;
  mov(rax, guest(base));
  find_memory({access.bytes, access.count, !is_set(code, 22)});
  mov(rdx, rax);
  call_function(reinterpret_cast<u64>(access.move), code);
  if (!is_set(code, 23)) return true;
  by == 31 ? mov(rcx, u64{access.bytes} * access.count) : mov(rcx, guest(by));
  add(guest(base), rcx);
  return true;
}

}  // namespace wperf::sim

#endif
