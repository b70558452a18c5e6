// SPDX-License-Identifier: BSD-3-Clause
// Barriers, and exclusive, ordered and atomic accesses (Arm ARM C4.1.88). All of a program's threads run on the host's
// one thread, so order takes no work.
#include <cstddef>

#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

namespace wperf::sim {

bool BlockTranslator::system(u32 code) {
  if (is_hint_without_effect(code)) return true;
  if ((code & 0xfffff0ff) == 0xd503305f) {  // CLREX
    mov(monitor(offsetof(ExclusiveMonitor, address)), -1);
    return true;
  }
  if ((code & 0xfffff0df) == 0xd503309f) return bits_of(code, 11, 8) != 0;  // DSB, DMB
  const u32 to = bits_of(code, 4, 0);
  if ((code & 0xffffffe0) == 0xd53b4400) {  // MRS of FPCR
    mov(eax, 0);
    store(to, rax);
    return true;
  }
  if ((code & 0xffffffe0) != 0xd53b4420) return false;  // MRS of FPSR
  flags_live_ = false;
  stmxcsr(dword[in_frame(offsetof(TranslatedFrame, address))]);
  mov(eax, dword[in_frame(offsetof(TranslatedFrame, address))]);
  mov(ecx, eax);  // see guest_exceptions()
  and_(ecx, 1);
  shr(eax, 1);
  and_(eax, 0x1e);
  or_(eax, ecx);
  or_(rax, qword[rbx + offsetof(ThreadState, fpsr)]);
  store(to, rax);
  return true;
}

// Finds the memory at the base register of an access, which must be aligned.
void BlockTranslator::find_aligned(u32 code, const Access& access) {
  mov(rax, guest(bits_of(code, 9, 5)));
  if (access.bytes > 1) {
    test(al, access.bytes - 1);
    jnz(unicorn_executes(), T_NEAR);
  }
  find_memory(access);
}

bool BlockTranslator::load_store_ordered(u32 code) {
  const u32 bytes = 1U << bits_of(code, 31, 30), number = bits_of(code, 4, 0);
  const bool write = !is_set(code, 22);
  if (is_set(code, 24)) return false;
  if (is_set(code, 21)) return is_set(code, 23) && compare_and_swap(code, bytes);  // the others are pairs
  flags_live_ = false;
  if (is_set(code, 23)) {  // LDAR, STLR
    if (!is_set(code, 15)) return false;
    find_aligned(code, {bytes, 1, write});
    move({number, bytes, false, false, bytes == 8}, 0, write);
    return true;
  }
  if (!context_.exclusives) return false;
  write ? store_exclusive(code, bytes) : load_exclusive(code, bytes);
  return true;
}

Xbyak::Address BlockTranslator::monitor(usize offset) const {
  return qword[in_frame(offsetof(TranslatedFrame, monitor) + offset)];
}

void BlockTranslator::load_exclusive(u32 code, u32 bytes) {
  find_aligned(code, {bytes, 1, false});
  mov(rdx, guest(bits_of(code, 9, 5)));
  mov(monitor(offsetof(ExclusiveMonitor, address)), rdx);
  read_part({0, bytes}, rax);
  mov(monitor(offsetof(ExclusiveMonitor, value)), rcx);
  store(bits_of(code, 4, 0), rcx);
}

// Stores if the address and the value in memory still equal those of the last exclusive load. Unicorn writes the memory
// even if only the value differs, and the models see that write.
void BlockTranslator::store_exclusive(u32 code, u32 bytes) {
  Label failed, done;
  mov(rax, guest(bits_of(code, 9, 5)));
  cmp(rax, monitor(offsetof(ExclusiveMonitor, address)));
  jne(failed, T_NEAR);
  find_aligned(code, {bytes, 1, true});
  inc(qword[part(context_.parts.exclusive_stores)]);
  read_part({0, bytes}, rax);
  cmp(rcx, monitor(offsetof(ExclusiveMonitor, value)));
  jne(failed, T_NEAR);
  load(rcx, bits_of(code, 4, 0), true);
  write_part(bytes, rax);
  mov(ecx, 0);
  jmp(done);
  L(failed);
  mov(ecx, 1);
  L(done);
  store(bits_of(code, 20, 16), rcx);
  mov(monitor(offsetof(ExclusiveMonitor, address)), -1);
}

// For an access that reads and then writes at the address in register `base`: rax becomes the host's address.
void BlockTranslator::find_atomic(u32 base, u32 bytes) {
  mov(rax, guest(base));
  if (bytes > 1) {
    test(al, bytes - 1);
    jnz(unicorn_executes(), T_NEAR);
  }
  const usize site = find_region(bytes, true);
  notify_models({bytes, 1, false}, 0, 1, bytes);
  notify_models({bytes, 1, true}, 0, 1, bytes);
  add(rax, qword[in_frame(site + offsetof(AccessSite, delta))]);
}

// CAS: stores in any case, as Unicorn does.
bool BlockTranslator::compare_and_swap(u32 code, u32 bytes) {
  if (bits_of(code, 14, 10) != 31) return false;
  const u32 expected = bits_of(code, 20, 16), fresh = bits_of(code, 4, 0);
  flags_live_ = false;
  find_atomic(bits_of(code, 9, 5), bytes);
  read_part({0, bytes}, rax);
  mov(rdx, rcx);
  load(rsi, expected, true);
  const Xbyak::Reg compared = bytes == 1 ? Xbyak::Reg(sil) : bytes == 2 ? Xbyak::Reg(si) : sized(rsi, bytes == 8);
  const Xbyak::Reg old = bytes == 1 ? Xbyak::Reg(dl) : bytes == 2 ? Xbyak::Reg(dx) : sized(rdx, bytes == 8);
  Label different;
  cmp(old, compared);
  jne(different);
  load(rcx, fresh, true);
  L(different);
  write_part(bytes, rax);
  store(expected, rdx);
  return true;
}

// LDADD, LDCLR, LDEOR, LDSET, SWP, and LDAPR
bool BlockTranslator::load_store_atomic(u32 code) {
  const u32 bytes = 1U << bits_of(code, 31, 30), operation = bits_of(code, 15, 12);
  const u32 base = bits_of(code, 9, 5), by = bits_of(code, 20, 16), to = bits_of(code, 4, 0);
  if (is_set(code, 26)) return false;
  flags_live_ = false;
  if (operation == 12) {
    if (!is_set(code, 23) || is_set(code, 22) || by != 31) return false;
    find_aligned(code, {bytes, 1, false});
    move({to, bytes, false, false, bytes == 8}, 0, false);
    return true;
  }
  if (operation != 8 && operation > 3) return false;  // maxima and minima, among others
  find_atomic(base, bytes);
  read_part({0, bytes}, rax);
  mov(rdx, rcx);
  load(rsi, by, true);
  switch (operation) {
    case 0:
      add(rcx, rsi);
      break;
    case 1:
      not_(rsi);
      and_(rcx, rsi);
      break;
    case 2:
      xor_(rcx, rsi);
      break;
    case 3:
      or_(rcx, rsi);
      break;
    default:
      mov(rcx, rsi);
      break;
  }
  write_part(bytes, rax);
  store(to, rdx);
  return true;
}

}  // namespace wperf::sim

#endif
