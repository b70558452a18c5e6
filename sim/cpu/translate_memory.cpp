// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores (Arm ARM C4.1.88). First the code finds the memory region that contains the whole access. If no
// region does, it hands the instruction back. Otherwise it calls the models, moves the data, and writes the address
// back.
#include <cstddef>

#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

namespace wperf::sim {
namespace {

constexpr u64 sign_extended(u32 value, u32 bits) {
  const u64 sign = u64{1} << (bits - 1);
  return (value ^ sign) - sign;
}

}  // namespace

bool BlockTranslator::load_store(u32 code) {
  switch (bits_of(code, 29, 27)) {
    case 1:
      if (!is_set(code, 26)) return load_store_ordered(code);
      return is_set(code, 24) ? load_store_elements(code) : load_store_structure(code);
    case 3:
      return !is_set(code, 24) && load_literal(code);
    case 5:
      return load_store_pair(code);
    case 7:
      return load_store_single(code);
    default:
      return false;
  }
}

bool BlockTranslator::load_literal(u32 code) {
  const u32 size = bits_of(code, 31, 30);
  const bool vector = is_set(code, 26);
  if (size == 3) return !vector;  // PRFM
  Register one{bits_of(code, 4, 0), vector ? 4U << size : size == 1 ? 8U : 4U, vector, size == 2, size != 0};
  flags_live_ = false;
  mov(rax, pc_ + sign_extended(bits_of(code, 23, 5), 19) * 4);
  find_memory({one.bytes, 1, false});
  move(one, 0, false);
  return true;
}

bool BlockTranslator::load_store_pair(u32 code) {
  const u32 size = bits_of(code, 31, 30), mode = bits_of(code, 24, 23), base = bits_of(code, 9, 5);
  const u32 first = bits_of(code, 4, 0), second = bits_of(code, 14, 10);
  const bool vector = is_set(code, 26), write = !is_set(code, 22);
  const bool sign = !vector && size == 1;
  if (size == 3 || (sign && (write || mode == 0))) return false;
  const bool writes_back = mode == 1 || mode == 3;
  if (writes_back && !vector && (first == base || second == base) && base != 31) return false;  // unpredictable
  if (!write && first == second) return false;
  const u32 bytes = vector ? 4U << size : size == 2 ? 8 : 4;
  const u64 offset = sign_extended(bits_of(code, 21, 15), 7) * bytes;
  flags_live_ = false;
  mov(rax, guest(base));
  if (mode != 1) add(rax, static_cast<int>(offset));
  find_memory({bytes, 2, write});
  move({first, bytes, vector, sign, sign || bytes == 8}, 0, write);
  move({second, bytes, vector, sign, sign || bytes == 8}, bytes, write);
  if (writes_back) add(guest(base), static_cast<int>(offset));
  return true;
}

// Returns false if the instruction is not translated.
bool BlockTranslator::register_of_single(u32 code, Register& one, Access& access, bool& prefetch) const {
  const u32 size = bits_of(code, 31, 30), operation = bits_of(code, 23, 22);
  one.number = bits_of(code, 4, 0);
  one.vector = is_set(code, 26);
  one.bytes = 1U << size;
  access.count = 1;
  prefetch = false;
  if (one.vector) {
    if (operation >= 2) {
      if (size != 0) return false;
      one.bytes = 16;
    }
    access.write = (operation & 1) == 0;
  } else {
    if (size == 3 && operation == 2) prefetch = true;
    if ((size == 3 || size == 2) && operation == 3) return false;
    access.write = operation == 0;
    one.sign = operation >= 2;
    one.wide = operation == 2 || (operation == 1 && size == 3);
  }
  access.bytes = one.bytes;
  return true;
}

bool BlockTranslator::load_store_single(u32 code) {
  Register one;
  Access access;
  bool prefetch = false;
  const u32 base = bits_of(code, 9, 5), mode = bits_of(code, 11, 10);
  if (!is_set(code, 24) && is_set(code, 21) && mode == 0) return load_store_atomic(code);
  if (!register_of_single(code, one, access, prefetch)) return false;
  u64 before = 0, after = 0;
  bool indexed = false;
  if (is_set(code, 24)) {
    before = u64{bits_of(code, 21, 10)} * access.bytes;
  } else if (is_set(code, 21)) {
    const u32 option = bits_of(code, 15, 13);
    if (mode != 2 || (option & 2) == 0) return false;
    indexed = true;
  } else {
    const u64 offset = sign_extended(bits_of(code, 20, 12), 9);
    if (mode == 2) return false;  // LDTR
    (mode == 1 ? after : before) = offset;
    if (mode != 0 && (prefetch || (!one.vector && one.number == base && base != 31))) return false;
  }
  if (prefetch) return true;
  flags_live_ = false;
  mov(rax, guest(base));
  if (indexed) {
    load(rcx, bits_of(code, 20, 16), true);
    const u32 log = access.bytes == 16 ? 4 : bits_of(code, 31, 30);
    extend(rcx, bits_of(code, 15, 13), is_set(code, 12) ? log : 0);
    add(rax, rcx);
  } else if (before != 0) {
    add(rax, static_cast<int>(before));
  }
  find_memory(access);
  move(one, 0, access.write);
  const bool writes_back = !is_set(code, 24) && !indexed && mode != 0;
  if (writes_back) add(guest(base), static_cast<int>(before + after));
  return true;
}

// Finds the region that contains `extent` bytes at the guest's address in rax. Returns the place of its AccessSite in
// the frame.
usize BlockTranslator::find_region(u32 extent, bool write) {
  const u32 site = context_.sites_used++;
  const usize at = offsetof(TranslatedFrame, sites) + usize{site} * sizeof(AccessSite);
  auto back = std::make_shared<Label>();
  Label& other = later([this, back, site, extent, pc = pc_, write] {
    Label good;
    mov(qword[in_frame(offsetof(TranslatedFrame, address))], rax);
    mov(esi, site);
    mov(rdx, rax);
    mov(ecx, extent | (write ? kWriteExtent : 0));
    call_engine(offsetof(TranslatedCalls, prepare));
    test(al, al);
    jnz(good);
    hand_back(pc);
    L(good);
    mov(rax, qword[in_frame(offsetof(TranslatedFrame, address))]);
    jmp(*back, T_NEAR);
  });
  mov(rcx, rax);
  sub(rcx, qword[in_frame(at + offsetof(AccessSite, base))]);
  cmp(rcx, qword[in_frame(at + offsetof(AccessSite, size))]);
  jae(other, T_NEAR);
  L(*back);
  return at;
}

// The guest's address is in rax.
void BlockTranslator::find_memory(const Access& access) {
  const usize site = find_region(access.bytes * access.count, access.write);
  if (access.bytes == 16) {
    for (u32 i = 0; i < access.count; ++i) notify_models(access, i * 16, 2, 8);
  } else {
    notify_models(access, 0, access.count, access.bytes);
  }
  add(rax, qword[in_frame(site + offsetof(AccessSite, delta))]);
}

// Like CoreMemory::load() and store() without a miss: the page is the page of the last access, and the line is the
// newest of its set. In all other cases those functions are called.
void BlockTranslator::notify_models(const Access& access, u32 offset, u32 elements, u32 bytes) {
  const ModelParts& parts = context_.parts;
  auto back = std::make_shared<Label>();
  Label& miss = later([this, back, offset, elements, bytes, write = access.write] {
    mov(qword[in_frame(offsetof(TranslatedFrame, address))], rax);
    lea(rsi, ptr[rax + usize{offset}]);
    mov(edx, bytes);
    mov(ecx, elements);
    call_engine(write ? offsetof(TranslatedCalls, store) : offsetof(TranslatedCalls, load));
    mov(rax, qword[in_frame(offsetof(TranslatedFrame, address))]);
    jmp(*back, T_NEAR);
  });
  lea(rcx, ptr[rax + usize{offset}]);
  if (bytes > 1) {
    test(cl, bytes - 1);
    jnz(miss, T_NEAR);
  }
  if (elements > 1) {  // all elements are in one line
    lea(rdx, ptr[rcx + usize{bytes} * (elements - 1)]);
    xor_(rdx, rcx);
    test(rdx, ~63);
    jnz(miss, T_NEAR);
  }
  mov(rdx, rcx);
  shr(rdx, 12);
  cmp(rdx, qword[part(parts.last_data_page)]);
  auto here = std::make_shared<Label>();
  jne(other_page(here, miss), T_NEAR);
  L(*here);
  shr(rcx, 6);
  mov(edx, ecx);
  and_(edx, static_cast<u32>(parts.l1d_set_mask));
  imul(edx, edx, static_cast<int>(parts.l1d_ways * sizeof(u64)));
  or_(rcx, r14);
  add(rcx, rcx);
  xor_(rcx, qword[r15 + rdx]);
  if (access.write) {
    xor_(rcx, 1);  // 0 if the line is dirty: then no other core has it
    cmp(rcx, qword[in_frame(offsetof(TranslatedFrame, plain_store))]);
    ja(miss, T_NEAR);
    or_(byte[r15 + rdx], 1);
  } else {
    cmp(rcx, 1);
    ja(miss, T_NEAR);
  }
  add(qword[part(access.write ? parts.stores : parts.loads)], elements);
  L(*back);
}

// Makes page rdx the current page, like CoreMemory::translate() if the page is the first of its chain. rcx is kept.
Xbyak::Label& BlockTranslator::other_page(const std::shared_ptr<Label>& back, Label& miss) {
  return later([this, back, &miss] {
    const ModelParts& parts = context_.parts;
    movzx(esi, dl);
    movzx(esi, byte[part(parts.data_tlb_chains) + rsi]);
    shl(esi, 5);
    mov(rdi, rdx);
    or_(rdi, r14);
    cmp(rdi, qword[part(&parts.data_tlb->page) + rsi]);
    jne(miss, T_NEAR);
    mov(qword[part(parts.last_data_page)], rdx);
    mov(rdi, qword[part(parts.data_tlb_now)]);
    inc(rdi);
    mov(qword[part(parts.data_tlb_now)], rdi);
    mov(qword[part(&parts.data_tlb->used) + rsi], rdi);
    jmp(*back, T_NEAR);
  });
}

// Moves data between a register and the host's memory at rax.
void BlockTranslator::move(const Register& one, u32 offset, bool write) {
  const Xbyak::RegExp memory = rax + usize{offset};
  if (one.vector) {
    const Xbyak::RegExp whole = rbx + offsetof(ThreadState, v) + usize{one.number} * 16;
    if (one.bytes == 16) {
      write ? movups(xmm0, ptr[whole]) : movups(xmm0, ptr[memory]);
      write ? movups(ptr[memory], xmm0) : movups(ptr[whole], xmm0);
      return;
    }
    Register low = one;
    low.vector = false;
    move_part(low, memory, whole, write);
    if (!write) mov(qword[whole + 8], 0);
    return;
  }
  const Xbyak::RegExp whole = rbx + usize{one.number} * 8;
  if (one.number == 31) {  // register 31: zero, or the value is discarded
    if (!write) return;
    mov(ecx, 0);
    return write_part(one.bytes, memory);
  }
  move_part(one, memory, whole, write);
}

void BlockTranslator::move_part(const Register& one, const Xbyak::RegExp& memory, const Xbyak::RegExp& whole,
                                bool write) {
  if (write) {
    mov(rcx, qword[whole]);
    return write_part(one.bytes, memory);
  }
  read_part(one, memory);
  mov(qword[whole], rcx);
}

// Loads into rcx.
void BlockTranslator::read_part(const Register& one, const Xbyak::RegExp& memory) {
  const Xbyak::Reg to = sized(rcx, one.sign && one.wide);
  switch (one.bytes) {
    case 1:
      one.sign ? movsx(to, byte[memory]) : movzx(ecx, byte[memory]);
      break;
    case 2:
      one.sign ? movsx(to, word[memory]) : movzx(ecx, word[memory]);
      break;
    case 4:
      one.sign&& one.wide ? movsxd(rcx, dword[memory]) : mov(ecx, dword[memory]);
      break;
    default:
      mov(rcx, qword[memory]);
      break;
  }
}

void BlockTranslator::write_part(u32 bytes, const Xbyak::RegExp& memory) {
  switch (bytes) {
    case 1:
      return mov(byte[memory], cl);
    case 2:
      return mov(word[memory], cx);
    case 4:
      return mov(dword[memory], ecx);
    default:
      return mov(qword[memory], rcx);
  }
}

}  // namespace wperf::sim

#endif
