// SPDX-License-Identifier: BSD-3-Clause
// Scalar floating-point instructions (Arm ARM C4.1.96), translated to instructions of the host. Both follow IEEE 754,
// but they choose NaNs differently, and Arm detects a tiny result before rounding, x86 after it. So an instruction
// whose result is a NaN or tiny is handed back to Unicorn. FPCR is 0 while translated code runs, see Translator::run().
#include <cstddef>

#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

namespace wperf::sim {
namespace {

// VFPExpandImm of the Arm ARM.
constexpr u64 float_constant(u32 imm8, bool wide) {
  const u64 sign = imm8 >> 7, low = imm8 & 0x3f;
  const bool small = (imm8 & 0x40) != 0;
  if (wide) return sign << 63 | (small ? u64{0x3fc} << 52 : u64{0x400} << 52) | low << 48;
  return sign << 31 | (small ? 0x3e000000 : 0x40000000) | low << 19;
}

}  // namespace

bool BlockTranslator::scalar_float(u32 code) {
  if (bits_of(code, 31, 24) == 0x1f) return multiply_and_add(code);
  if ((code & 0xffbffc00) == 0x5e21d800) {  // SCVTF of a vector register
    const bool wide = is_set(code, 22);
    flags_live_ = false;
    load_bits(bits_of(code, 9, 5), wide);
    float_of(sized(rcx, wide), wide);
    store_scalar(bits_of(code, 4, 0));
    return true;
  }
  if (bits_of(code, 30, 24) != 0x1e || !is_set(code, 21)) return false;
  if (bits_of(code, 15, 10) == 0) return convert(code);
  if (is_set(code, 31) || is_set(code, 23)) return false;
  const bool wide = is_set(code, 22);
  switch (bits_of(code, 11, 10)) {
    case 1:
      return compare_floats_if(code, wide);
    case 2:
      return two_floats(code, wide);
    case 3:
      return select_float(code, wide);
    default:
      break;
  }
  if (is_set(code, 12)) {
    if (bits_of(code, 9, 5) != 0) return false;
    mov(rcx, float_constant(bits_of(code, 20, 13), wide));
    store_scalar(bits_of(code, 4, 0));
    return true;
  }
  return is_set(code, 13) ? compare_floats(code, wide) : one_float(code, wide);
}

Xbyak::RegExp BlockTranslator::vector(u32 number, usize offset) const {
  return rbx + offsetof(ThreadState, v) + usize{number} * 16 + offset;
}
void BlockTranslator::load_float(const Xbyak::Xmm& to, u32 number, bool wide) {
  wide ? movsd(to, qword[vector(number)]) : movss(to, dword[vector(number)]);
}
void BlockTranslator::load_bits(u32 number, bool wide) {
  wide ? mov(rcx, qword[vector(number)]) : mov(ecx, dword[vector(number)]);
}
// The value is in rcx. The rest of the vector register becomes zero.
void BlockTranslator::store_scalar(u32 number) {
  mov(qword[vector(number)], rcx);
  mov(qword[vector(number, 8)], 0);
}

// Stores xmm0, or hands the instruction back.
void BlockTranslator::store_result(u32 number, bool wide, bool may_be_tiny) {
  Label& back = unicorn_executes();
  wide ? ucomisd(xmm0, xmm0) : ucomiss(xmm0, xmm0);
  jp(back, T_NEAR);
  wide ? movq(rcx, xmm0) : movd(ecx, xmm0);
  if (may_be_tiny) jump_if_tiny(back, wide);
  store_scalar(number);
}

// Jumps if rcx is not zero, but at most as large as the smallest normal number.
void BlockTranslator::jump_if_tiny(Label& to, bool wide) {
  lea(sized(rdx, wide), ptr[rcx + rcx - 1]);
  mov(rax, wide ? u64{1} << 53 : u64{1} << 24);
  cmp(sized(rdx, wide), sized(rax, wide));
  jb(to, T_NEAR);
}

bool BlockTranslator::two_floats(u32 code, bool wide) {
  const u32 to = bits_of(code, 4, 0), operation = bits_of(code, 15, 12);
  if (operation > 3 && operation != 8) return false;  // minimum and maximum
  flags_live_ = false;
  load_float(xmm0, bits_of(code, 9, 5), wide);
  load_float(xmm1, bits_of(code, 20, 16), wide);
  switch (operation) {
    case 1:
      wide ? divsd(xmm0, xmm1) : divss(xmm0, xmm1);
      break;
    case 2:
      wide ? addsd(xmm0, xmm1) : addss(xmm0, xmm1);
      break;
    case 3:
      wide ? subsd(xmm0, xmm1) : subss(xmm0, xmm1);
      break;
    default:
      wide ? mulsd(xmm0, xmm1) : mulss(xmm0, xmm1);
      break;
  }
  store_result(to, wide, operation != 2 && operation != 3);  // a tiny sum is exact
  if (operation == 8) btc(qword[vector(to)], wide ? 63 : 31);
  return true;
}

bool BlockTranslator::multiply_and_add(u32 code) {
  if (is_set(code, 23) || !context_.has_fma) return false;
  const bool wide = is_set(code, 22);
  flags_live_ = false;
  load_float(xmm1, bits_of(code, 9, 5), wide);
  load_float(xmm2, bits_of(code, 20, 16), wide);
  load_float(xmm0, bits_of(code, 14, 10), wide);
  switch (bits_of(code, 21, 21) * 2 + bits_of(code, 15, 15)) {
    case 0:
      wide ? vfmadd231sd(xmm0, xmm1, xmm2) : vfmadd231ss(xmm0, xmm1, xmm2);
      break;
    case 1:
      wide ? vfnmadd231sd(xmm0, xmm1, xmm2) : vfnmadd231ss(xmm0, xmm1, xmm2);
      break;
    case 2:
      wide ? vfnmsub231sd(xmm0, xmm1, xmm2) : vfnmsub231ss(xmm0, xmm1, xmm2);
      break;
    default:
      wide ? vfmsub231sd(xmm0, xmm1, xmm2) : vfmsub231ss(xmm0, xmm1, xmm2);
      break;
  }
  store_result(bits_of(code, 4, 0), wide, true);
  return true;
}

bool BlockTranslator::one_float(u32 code, bool wide) {
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5), operation = bits_of(code, 20, 15);
  if (operation <= 2) {  // FMOV, FABS, FNEG
    if (operation != 0) flags_live_ = false;
    load_bits(from, wide);
    if (operation == 1) btr(rcx, wide ? 63 : 31);
    if (operation == 2) btc(rcx, wide ? 63 : 31);
    store_scalar(to);
    return true;
  }
  const bool rounds = operation >= 8 && operation <= 11 && context_.has_sse4;
  if (operation != 3 && operation != (wide ? 4 : 5) && !rounds) return false;
  flags_live_ = false;
  load_float(xmm0, from, wide);
  if (operation == 3) {
    wide ? sqrtsd(xmm0, xmm0) : sqrtss(xmm0, xmm0);
  } else if (operation == 4) {
    cvtsd2ss(xmm0, xmm0);
    store_result(to, false, true);
    return true;
  } else if (operation == 5) {
    cvtss2sd(xmm0, xmm0);
    store_result(to, true, false);
    return true;
  } else {  // FRINTN, FRINTP, FRINTM, FRINTZ: these do not report inexact results
    static constexpr u8 kModes[] = {8, 10, 9, 11};
    const u8 mode = kModes[operation - 8];
    wide ? roundsd(xmm0, xmm0, mode) : roundss(xmm0, xmm0, mode);
  }
  store_result(to, wide, false);
  return true;
}

// Compares xmm0 and xmm1. The flags are in ax, as write_flags() needs them.
void BlockTranslator::compare(bool wide, bool signals) {
  if (signals) {
    wide ? comisd(xmm0, xmm1) : comiss(xmm0, xmm1);
  } else {
    wide ? ucomisd(xmm0, xmm1) : ucomiss(xmm0, xmm1);
  }
  mov(eax, 0);  // greater: only C
  mov(ecx, 0x8100);
  cmovb(eax, ecx);  // less: only N
  mov(ecx, 0x4000);
  cmove(eax, ecx);  // equal: Z and C
  mov(ecx, 1);
  cmovp(eax, ecx);  // unordered: C and V
}

bool BlockTranslator::compare_floats(u32 code, bool wide) {
  const u32 kind = bits_of(code, 4, 0);
  if ((kind & 7) != 0 || bits_of(code, 15, 14) != 0) return false;
  flags_live_ = false;
  load_float(xmm0, bits_of(code, 9, 5), wide);
  if ((kind & 8) != 0) {
    xorps(xmm1, xmm1);
  } else {
    load_float(xmm1, bits_of(code, 20, 16), wide);
  }
  compare(wide, (kind & 16) != 0);
  write_flags();
  return true;
}

bool BlockTranslator::compare_floats_if(u32 code, bool wide) {
  const u32 condition = bits_of(code, 15, 12);
  Label otherwise, done;
  if (condition < 14) {
    need_flags();
    jump_if(condition ^ 1, otherwise);
  }
  load_float(xmm0, bits_of(code, 9, 5), wide);
  load_float(xmm1, bits_of(code, 20, 16), wide);
  compare(wide, is_set(code, 4));
  jmp(done);
  L(otherwise);
  mov(eax, flags_constant(code & 15));
  L(done);
  write_flags();
  flags_live_ = false;
  return true;
}

bool BlockTranslator::select_float(u32 code, bool wide) {
  const u32 condition = bits_of(code, 15, 12);
  if (condition < 14) need_flags();
  load_bits(bits_of(code, 9, 5), wide);
  if (condition < 14) {
    mov(rdx, rcx);
    load_bits(bits_of(code, 20, 16), wide);
    select_if(condition, rcx, rdx);
  }
  store_scalar(bits_of(code, 4, 0));
  return true;
}

// Conversions and moves between general and vector registers.
bool BlockTranslator::convert(u32 code) {
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5), type = bits_of(code, 23, 22);
  const u32 operation = bits_of(code, 20, 16);  // rmode and opcode
  const bool wide = is_set(code, 31), wide_float = type == 1;
  if (type == 2) {  // FMOV of the upper half
    if (!wide || (operation != 14 && operation != 15)) return false;
    if (operation == 14) {
      mov(rcx, qword[vector(from, 8)]);
      store(to, rcx);
    } else {
      load(rcx, from, true);
      mov(qword[vector(to, 8)], rcx);
    }
    return true;
  }
  if (type == 3) return false;
  if (operation == 6 || operation == 7) {  // FMOV
    if (wide != wide_float) return false;
    operation == 6 ? load_bits(from, wide) : load(rcx, from, wide);
    operation == 6 ? store(to, rcx) : store_scalar(to);
    return true;
  }
  flags_live_ = false;
  if (operation == 2 || operation == 3) {
    from_integer(to, from, {wide, operation == 2, wide_float});
    return true;
  }
  if (operation != 24 && operation != 25) return false;
  to_integer(to, from, {wide, operation == 24, wide_float});
  return true;
}

// SCVTF, UCVTF
void BlockTranslator::from_integer(u32 to, u32 from, const Conversion& kind) {
  load(rax, from, kind.wide);
  if (!kind.sign && kind.wide) {
    test(rax, rax);
    js(unicorn_executes(), T_NEAR);
  }
  float_of(sized(rax, kind.wide || !kind.sign), kind.wide_float);
  store_scalar(to);
}

// Sets rcx to the floating-point number nearest to an integer.
void BlockTranslator::float_of(const Xbyak::Reg& integer, bool wide) {
  xorps(xmm0, xmm0);
  wide ? cvtsi2sd(xmm0, integer) : cvtsi2ss(xmm0, integer);
  wide ? movq(rcx, xmm0) : movd(ecx, xmm0);
}

// FCVTZS, FCVTZU. Values that do not fit are handed back.
void BlockTranslator::to_integer(u32 to, u32 from, const Conversion& kind) {
  Label& back = unicorn_executes();
  load_float(xmm0, from, kind.wide_float);
  if (!kind.sign) {
    kind.wide_float ? movq(rax, xmm0) : movd(eax, xmm0);
    test(sized(rax, kind.wide_float), sized(rax, kind.wide_float));
    js(back, T_NEAR);
    const u32 exponent = kind.wide ? 63 : 32;
    mov(rax, kind.wide_float ? u64{1023 + exponent} << 52 : u64{127 + exponent} << 23);
    movq(xmm1, rax);
    kind.wide_float ? ucomisd(xmm1, xmm0) : ucomiss(xmm1, xmm0);
    jbe(back, T_NEAR);  // too large, or a NaN
  }
  const Xbyak::Reg value = sized(rax, kind.wide || !kind.sign);
  kind.wide_float ? cvttsd2si(value, xmm0) : cvttss2si(value, xmm0);
  if (kind.sign) {  // the result is also the smallest number if the value does not fit
    mov(rcx, kind.wide ? u64{1} << 63 : u64{1} << 31);
    cmp(value, sized(rcx, kind.wide));
    je(back, T_NEAR);
  }
  store(to, rax);
}

}  // namespace wperf::sim

#endif
