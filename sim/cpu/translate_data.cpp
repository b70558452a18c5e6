// SPDX-License-Identifier: BSD-3-Clause
// Instructions on registers and constants (Arm ARM C4.1.86), and the guest's flags, which are kept in the host's flags.
#include <cstddef>

#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

namespace wperf::sim {
namespace {

constexpr u64 ones(u32 count) {
  return count >= 64 ? ~u64{0} : (u64{1} << count) - 1;
}

// DecodeBitMasks of the Arm ARM; 0 if the encoding is reserved.
u64 logical_constant(u32 n, u32 imms, u32 immr, bool wide) {
  const u32 both = n << 6 | (~imms & 0x3f);
  u32 length = 6;
  while (length > 0 && (both >> length & 1) == 0) --length;
  if (length == 0 || (n != 0 && !wide)) return 0;
  const u32 size = 1U << length, levels = size - 1;
  const u32 count = imms & levels, rotation = immr & levels;
  if (count == levels) return 0;
  u64 element = ones(count + 1);
  if (rotation != 0) element = (element >> rotation | element << (size - rotation)) & ones(size);
  for (u32 width = size; width < 64; width *= 2) element |= element << width;
  return wide ? element : element & ones(32);
}

}  // namespace

bool BlockTranslator::instruction(u32 code) {
  const u32 group = bits_of(code, 28, 25);
  if ((group & 0xe) == 0x8) return immediate_data(code);
  if ((group & 0x5) == 0x4) return load_store(code);
  if ((group & 0x7) == 0x5) return register_data(code);
  if ((group & 0x7) == 0x7) return (is_set(code, 28) && scalar_float(code)) || vector_data(code);
  return (group & 0xe) == 0xa && system(code);
}

void BlockTranslator::load(const Reg64& to, u32 number, bool wide) {
  if (number == 31) {
    mov(to.cvt32(), 0);
  } else if (wide) {
    mov(to, guest(number));
  } else {
    mov(to.cvt32(), dword[rbx + usize{number} * 8]);
  }
}
// A 32-bit instruction stores zeros above 32 bits.
void BlockTranslator::store(u32 number, const Reg64& from) {
  if (number != 31) mov(guest(number), from);
}

void BlockTranslator::save_flags() {
  lahf();
  seto(al);
  write_flags();
  flags_live_ = true;
}
void BlockTranslator::write_flags() {
  mov(word[in_frame(offsetof(TranslatedFrame, flags))], ax);
}
// Both carries are cleared here, but the host's carry must be the inverse of the guest's.
void BlockTranslator::save_logical_flags() {
  stc();
  save_flags();
}
void BlockTranslator::need_flags() {
  if (flags_live_) return;
  movzx(eax, word[in_frame(offsetof(TranslatedFrame, flags))]);
  add(al, 0x7f);  // sets the overflow flag if al was 1
  sahf();
  flags_live_ = true;
}

void BlockTranslator::shift_by(const Reg64& value, Shift kind, u32 amount, bool wide) {
  if (amount == 0) return;
  const Xbyak::Reg sized_value = sized(value, wide);
  const auto by = static_cast<int>(amount);
  switch (kind) {
    case Shift::lsl:
      return shl(sized_value, by);
    case Shift::lsr:
      return shr(sized_value, by);
    case Shift::asr:
      return sar(sized_value, by);
    case Shift::ror:
      return ror(sized_value, by);
  }
}

// UXTB … SXTX
void BlockTranslator::extend(const Reg64& value, u32 option, u32 amount) {
  switch (option) {
    case 0:
      movzx(value.cvt32(), value.cvt8());
      break;
    case 1:
      movzx(value.cvt32(), value.cvt16());
      break;
    case 2:
      mov(value.cvt32(), value.cvt32());
      break;
    case 4:
      movsx(value, value.cvt8());
      break;
    case 5:
      movsx(value, value.cvt16());
      break;
    case 6:
      movsxd(value, value.cvt32());
      break;
    default:
      break;
  }
  shift_by(value, Shift::lsl, amount, true);
}

void BlockTranslator::sum(bool subtract, bool set_flags, bool wide) {
  const Xbyak::Reg to = sized(rax, wide), what = sized(rcx, wide);
  flags_live_ = false;
  if (subtract) {
    sub(to, what);
  } else {
    add(to, what);
    if (set_flags) cmc();
  }
  if (!set_flags) return;
  mov(rdx, rax);
  save_flags();
  mov(rax, rdx);
}

bool BlockTranslator::immediate_data(u32 code) {
  const u32 to = bits_of(code, 4, 0);
  switch (bits_of(code, 25, 23)) {
    case 0:
    case 1: {  // ADR, ADRP
      const u64 low = bits_of(code, 30, 29), high = bits_of(code, 23, 5);
      const auto offset = static_cast<u64>(static_cast<std::int64_t>((high << 2 | low) << 43) >> 43);
      mov(rax, is_set(code, 31) ? (pc_ & ~u64{0xfff}) + (offset << 12) : pc_ + offset);
      store(to, rax);
      return true;
    }
    case 2:
      add_immediate(code);
      return true;
    case 4:
      return logical_immediate(code);
    case 5:
      return move_wide(code);
    case 6:
      return bitfield(code);
    case 7:
      return extract(code);
    default:
      return false;
  }
}

void BlockTranslator::add_immediate(u32 code) {
  const bool wide = is_set(code, 31), subtract = is_set(code, 30), set_flags = is_set(code, 29);
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5);
  const u32 amount = bits_of(code, 21, 10) << (is_set(code, 22) ? 12 : 0);
  if (!set_flags) {  // flags are kept
    mov(rax, guest(from));
    lea(sized(rax, wide), ptr[rax + (subtract ? u64{0} - amount : u64{amount})]);
    mov(guest(to), rax);
    return;
  }
  const Xbyak::Reg value = sized(rcx, wide);
  mov(rcx, guest(from));
  subtract ? sub(value, amount) : add(value, amount);
  if (!subtract) cmc();
  store(to, rcx);
  save_flags();
}

bool BlockTranslator::logical_immediate(u32 code) {
  const bool wide = is_set(code, 31);
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5), kind = bits_of(code, 30, 29);
  const u64 constant = logical_constant(bits_of(code, 22, 22), bits_of(code, 15, 10), bits_of(code, 21, 16), wide);
  if (constant == 0) return false;
  load(rcx, from, wide);
  mov(rax, constant);
  flags_live_ = false;
  const Xbyak::Reg value = sized(rcx, wide), with = sized(rax, wide);
  kind == 1 ? or_(value, with) : kind == 2 ? xor_(value, with) : and_(value, with);
  if (kind != 3) {
    mov(guest(to), rcx);
  } else {
    store(to, rcx);
    save_logical_flags();
  }
  return true;
}

bool BlockTranslator::move_wide(u32 code) {
  const bool wide = is_set(code, 31);
  const u32 to = bits_of(code, 4, 0), shift = bits_of(code, 22, 21) * 16;
  if (!wide && shift > 16) return false;
  const u64 value = u64{bits_of(code, 20, 5)} << shift, all = ones(wide ? 64 : 32);
  switch (bits_of(code, 30, 29)) {
    case 0:
      mov(rax, ~value & all);
      break;
    case 2:
      mov(rax, value);
      break;
    case 3:
      load(rax, to, wide);
      mov(rcx, ~(u64{0xffff} << shift) & all);
      and_(rax, rcx);
      mov(rcx, value);
      or_(rax, rcx);
      flags_live_ = false;
      break;
    default:
      return false;
  }
  store(to, rax);
  return true;
}

bool BlockTranslator::bitfield(u32 code) {
  const bool wide = is_set(code, 31);
  const u32 to = bits_of(code, 4, 0), from = bits_of(code, 9, 5), kind = bits_of(code, 30, 29);
  const u32 first = bits_of(code, 21, 16), last = bits_of(code, 15, 10), width = wide ? 64 : 32;
  if (is_set(code, 22) != wide || first >= width || last >= width || kind == 3) return false;
  const bool down = last >= first;  // the bits move down to bit 0, otherwise up from it
  const u32 count = down ? last - first + 1 : last + 1, place = down ? 0 : width - first;
  flags_live_ = false;
  load(rax, from, wide);
  shift_by(rax, Shift::lsl, width - 1 - last, wide);
  const u32 back = down ? width - count : width - count - place;
  shift_by(rax, kind == 0 ? Shift::asr : Shift::lsr, kind == 1 ? width - count : back, wide);
  if (kind == 1) {  // inserted into the old value
    shift_by(rax, Shift::lsl, place, wide);
    load(rcx, to, wide);
    mov(rdx, ~(ones(count) << place) & ones(width));
    and_(rcx, rdx);
    or_(rax, rcx);
  }
  if (!wide) mov(eax, eax);
  store(to, rax);
  return true;
}

bool BlockTranslator::extract(u32 code) {
  const bool wide = is_set(code, 31);
  const u32 amount = bits_of(code, 15, 10);
  if (bits_of(code, 30, 29) != 0 || is_set(code, 21) || is_set(code, 22) != wide || (!wide && amount >= 32))
    return false;
  flags_live_ = false;
  load(rax, bits_of(code, 20, 16), wide);
  load(rcx, bits_of(code, 9, 5), wide);
  if (amount != 0) shrd(sized(rax, wide), sized(rcx, wide), static_cast<u8>(amount));
  store(bits_of(code, 4, 0), rax);
  return true;
}

}  // namespace wperf::sim

#endif
