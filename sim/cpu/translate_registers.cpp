// SPDX-License-Identifier: BSD-3-Clause
// Instructions on registers (Arm ARM C4.1.89).

#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

namespace wperf::sim {

bool BlockTranslator::register_data(u32 code) {
  const u32 operation = code >> 21 & 15;
  if (!is_set(code, 28)) {
    if (!is_set(code, 24)) {
      if (!is_set(code, 31) && is_set(code, 15)) return false;
      logical_shifted(code);
      return true;
    }
    return is_set(code, 21) ? add_extended(code) : add_shifted(code);
  }
  if (is_set(code, 24)) return three_sources(code);
  switch (operation) {
    case 0:
      return with_carry(code);
    case 2:
      return compare_if(code);
    case 4:
      return select(code);
    case 6:
      return is_set(code, 30) ? one_source(code) : two_sources(code);
    default:
      return false;
  }
}

void BlockTranslator::logical_shifted(u32 code) {
  const bool wide = is_set(code, 31), invert = is_set(code, 21);
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5), kind = code >> 29 & 3;
  const u32 amount = code >> 10 & 63;
  if (kind == 1 && from == 31 && amount == 0) {  // MOV, MVN: flags are kept
    load(rax, bits_of(code, 20, 16), wide);
    if (invert) not_(sized(rax, wide));
    return store(to, rax);
  }
  flags_live_ = false;
  load(rcx, bits_of(code, 20, 16), wide);
  shift_by(rcx, static_cast<Shift>(code >> 22 & 3), amount, wide);
  if (invert) not_(sized(rcx, wide));
  load(rax, from, wide);
  const Xbyak::Reg value = sized(rcx, wide), with = sized(rax, wide);
  kind == 1 ? or_(value, with) : kind == 2 ? xor_(value, with) : and_(value, with);
  store(to, rcx);
  if (kind == 3) save_logical_flags();
}

bool BlockTranslator::add_shifted(u32 code) {
  const bool wide = is_set(code, 31), set_flags = is_set(code, 29);
  const u32 kind = code >> 22 & 3, amount = code >> 10 & 63;
  if (kind == 3 || (!wide && amount >= 32)) return false;
  load(rcx, bits_of(code, 20, 16), wide);
  shift_by(rcx, static_cast<Shift>(kind), amount, wide);
  load(rax, bits_of(code, 9, 5), wide);
  sum(is_set(code, 30), set_flags, wide);
  store(bits_of(code, 4, 0), rax);
  return true;
}

bool BlockTranslator::add_extended(u32 code) {
  const bool wide = is_set(code, 31), set_flags = is_set(code, 29);
  const u32 amount = code >> 10 & 7;
  if (amount > 4 || (code >> 22 & 3) != 0) return false;
  load(rcx, bits_of(code, 20, 16), true);
  extend(rcx, code >> 13 & 7, amount);
  mov(rax, guest(bits_of(code, 9, 5)));
  sum(is_set(code, 30), set_flags, wide);
  set_flags ? store(bits_of(code, 4, 0), rax) : mov(guest(bits_of(code, 4, 0)), rax);
  return true;
}

bool BlockTranslator::with_carry(u32 code) {
  const bool wide = is_set(code, 31), subtract = is_set(code, 30), set_flags = is_set(code, 29);
  if ((code >> 10 & 63) != 0) return false;
  need_flags();
  load(rcx, bits_of(code, 9, 5), wide);
  load(rdx, bits_of(code, 20, 16), wide);
  if (subtract) {
    sbb(sized(rcx, wide), sized(rdx, wide));
  } else {
    cmc();
    adc(sized(rcx, wide), sized(rdx, wide));
    cmc();
  }
  store(bits_of(code, 4, 0), rcx);
  flags_live_ = false;
  if (set_flags) save_flags();
  return true;
}

bool BlockTranslator::compare_if(u32 code) {
  const bool wide = is_set(code, 31), subtract = is_set(code, 30);
  if (!is_set(code, 29) || is_set(code, 10) || is_set(code, 4)) return false;
  const u32 condition = code >> 12 & 15, otherwise = flags_constant(code & 15);
  need_flags();
  condition < 14 ? set_if(condition, sil) : mov(sil, 1);
  load(rcx, bits_of(code, 9, 5), wide);
  const Xbyak::Reg left = sized(rcx, wide), right = sized(rdx, wide);
  if (is_set(code, 11)) {
    mov(edx, bits_of(code, 20, 16));
  } else {
    load(rdx, bits_of(code, 20, 16), wide);
  }
  if (subtract) {
    sub(left, right);
  } else {
    add(left, right);
    cmc();
  }
  lahf();
  seto(al);
  mov(ecx, otherwise);
  test(sil, sil);
  cmovz(eax, ecx);
  write_flags();
  flags_live_ = false;
  return true;
}

bool BlockTranslator::select(u32 code) {
  const bool wide = is_set(code, 31), invert = is_set(code, 30), increment = is_set(code, 10);
  if (is_set(code, 29) || is_set(code, 11)) return false;
  const u32 condition = code >> 12 & 15;
  if (condition < 14) need_flags();
  load(rcx, bits_of(code, 20, 16), wide);
  if (invert) not_(sized(rcx, wide));
  if (increment) lea(sized(rcx, wide), ptr[rcx + 1]);
  load(rdx, bits_of(code, 9, 5), wide);
  if (condition < 14) {
    select_if(condition, rcx, rdx);
  } else {
    mov(rcx, rdx);
  }
  store(bits_of(code, 4, 0), rcx);
  return true;
}

bool BlockTranslator::three_sources(u32 code) {
  const bool wide = is_set(code, 31), subtract = is_set(code, 15);
  const u32 to = bits_of(code, 4, 0), kind = code >> 21 & 7, with = bits_of(code, 14, 10);
  if ((code >> 29 & 3) != 0 || (!wide && kind != 0)) return false;
  flags_live_ = false;
  load(rax, bits_of(code, 9, 5), wide);
  load(rcx, bits_of(code, 20, 16), wide);
  if (kind == 2 || kind == 6) {  // SMULH, UMULH
    if (subtract) return false;
    kind == 2 ? imul(rcx) : mul(rcx);
    store(to, rdx);
    return true;
  }
  if (kind == 1) {
    movsxd(rax, eax);
    movsxd(rcx, ecx);
  } else if (kind == 5) {
    mov(eax, eax);
    mov(ecx, ecx);
  } else if (kind != 0) {
    return false;
  }
  imul(rax, rcx);
  load(rdx, with, wide);
  subtract ? sub(rdx, rax) : add(rdx, rax);
  if (!wide) mov(edx, edx);
  store(to, rdx);
  return true;
}

bool BlockTranslator::two_sources(u32 code) {
  const bool wide = is_set(code, 31);
  const u32 operation = code >> 10 & 63;
  if (is_set(code, 29)) return false;
  flags_live_ = false;
  load(rax, bits_of(code, 9, 5), wide);
  load(rcx, bits_of(code, 20, 16), wide);
  const Xbyak::Reg value = sized(rax, wide);
  switch (operation) {
    case 2:
    case 3:
      divide(operation == 3, wide);
      break;
    case 8:
      shl(value, cl);
      break;
    case 9:
      shr(value, cl);
      break;
    case 10:
      sar(value, cl);
      break;
    case 11:
      ror(value, cl);
      break;
    default:
      return false;
  }
  if (!wide) mov(eax, eax);  // also if the count is 0
  store(bits_of(code, 4, 0), rax);
  return true;
}

// Divides rax by rcx. Division by zero gives zero; the smallest number divided by -1 gives itself.
void BlockTranslator::divide(bool sign, bool wide) {
  Label done, nothing, negate;
  const Xbyak::Reg by = sized(rcx, wide);
  test(by, by);
  jz(nothing);
  if (sign) {
    cmp(by, -1);
    je(negate);
    wide ? cqo() : cdq();
    idiv(by);
  } else {
    mov(edx, 0);
    div(by);
  }
  jmp(done);
  if (sign) {
    L(negate);
    neg(sized(rax, wide));
    jmp(done);
  }
  L(nothing);
  mov(eax, 0);
  L(done);
}

bool BlockTranslator::one_source(u32 code) {
  const bool wide = is_set(code, 31);
  if (is_set(code, 29) || bits_of(code, 20, 16) != 0) return false;
  flags_live_ = false;
  load(rax, bits_of(code, 9, 5), wide);
  switch (code >> 10 & 63) {
    case 0:
      reverse_bits(wide);
      break;
    case 1:  // REV16
      mov(rcx, rax);
      mov(rdx, 0x00ff00ff00ff00ff);
      shr(rcx, 8);
      and_(rcx, rdx);
      and_(rax, rdx);
      shl(rax, 8);
      or_(rax, rcx);
      break;
    case 2:  // REV32; for 32 bits REV
      wide ? bswap(rax) : bswap(eax);
      if (wide) rol(rax, 32);
      break;
    case 3:
      if (!wide) return false;
      bswap(rax);
      break;
    case 4:
      count_leading_zeros(wide);
      break;
    case 5:  // CLS
      mov(rcx, rax);
      sar(sized(rcx, wide), wide ? 63 : 31);
      xor_(rax, rcx);
      if (!wide) mov(eax, eax);
      count_leading_zeros(wide);
      sub(rax, 1);
      break;
    default:
      return false;
  }
  store(bits_of(code, 4, 0), rax);
  return true;
}

void BlockTranslator::count_leading_zeros(bool wide) {
  mov(rdx, ~u64{0});
  bsr(rcx, rax);
  cmovz(rcx, rdx);
  mov(eax, wide ? 63 : 31);
  sub(rax, rcx);
}

// Swaps adjacent bits, then pairs of bits, then groups of four. The order of the bytes is reversed in one instruction.
void BlockTranslator::reverse_bits(bool wide) {
  struct Step {
    u64 mask;
    int by;
  };
  wide ? bswap(rax) : bswap(eax);
  for (const auto& [mask, by] :
       {Step{0x0f0f0f0f0f0f0f0f, 4}, Step{0x3333333333333333, 2}, Step{0x5555555555555555, 1}}) {
    mov(rdx, wide ? mask : mask & 0xffffffff);
    mov(rcx, rax);
    shr(rcx, by);
    and_(rcx, rdx);
    and_(rax, rdx);
    shl(rax, by);
    or_(rax, rcx);
  }
}

// The host's flags equal the guest's, except for the carry, and are not changed.
void BlockTranslator::select_if(u32 condition, const Reg64& to, const Reg64& from) {
  using Move = void (Xbyak::CodeGenerator::*)(const Xbyak::Reg&, const Xbyak::Operand&);
  using Generator = Xbyak::CodeGenerator;
  static constexpr Move kMoves[] = {&Generator::cmove, &Generator::cmovne, &Generator::cmovae, &Generator::cmovb,
                                    &Generator::cmovs, &Generator::cmovns, &Generator::cmovo,  &Generator::cmovno,
                                    &Generator::cmova, &Generator::cmovbe, &Generator::cmovge, &Generator::cmovl,
                                    &Generator::cmovg, &Generator::cmovle};
  (this->*kMoves[condition])(to, from);
}
void BlockTranslator::set_if(u32 condition, const Xbyak::Reg8& to) {
  using Set = void (Xbyak::CodeGenerator::*)(const Xbyak::Operand&);
  using Generator = Xbyak::CodeGenerator;
  static constexpr Set kSets[] = {&Generator::sete, &Generator::setne, &Generator::setae, &Generator::setb,
                                  &Generator::sets, &Generator::setns, &Generator::seto,  &Generator::setno,
                                  &Generator::seta, &Generator::setbe, &Generator::setge, &Generator::setl,
                                  &Generator::setg, &Generator::setle};
  (this->*kSets[condition])(to);
}

}  // namespace wperf::sim

#endif
