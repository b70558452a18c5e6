// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/machine/pages.h"

#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/machine/semihosting.h"

extern "C" {
extern const char image_text_begin[], image_text_end[], image_rodata_end[], image_end[];
}

namespace wperf::nthost {
namespace {

constexpr u64 kRamBegin = 0x4000'0000, kMostRam = 0x4000'0000;  // start.S maps 1 GB of RAM
constexpr u64 kBlock = 2 << 20;

constexpr u64 kValid = 1, kTableOrPage = 2, kAccessed = 1 << 10, kInnerShareable = 3 << 8, kNotGlobal = 1 << 11;
constexpr u64 kEl0 = 1 << 6, kReadOnly = 1 << 7;
// Marks an entry that is in use although it is not valid; hardware ignores this bit.
constexpr u64 kPagedOut = 1ull << 58;
constexpr u64 kNeverEl1 = 1ull << 53, kNeverEl0 = 1ull << 54;
constexpr u64 kAttributeDevice = 0 << 2, kAttributeMemory = 1 << 2, kAttributeUncached = 2 << 2;
constexpr u64 kAddressMask = 0x0000'ffff'ffff'f000;

SpinLock lock;
u64 first_free = 0;  // each free page holds the address of the next
u64 end_of_ram = 0;
u64 never_used = 0;  // pages from here to end_of_ram were not used yet
u64 free_count = 0;
u64 kernel_root = 0;
u32 next_space = 1;
u64 spaces_in_use[4] = {1};  // a bit per ASID; 0 is not used

constexpr u64 bits_of(Access access) {
  const u64 plain = kValid | kAccessed | kInnerShareable | kNeverEl0;
  switch (access) {
    case Access::read_only:
      return plain | kAttributeMemory | kReadOnly | kNeverEl1;
    case Access::read_write:
      return plain | kAttributeMemory | kNeverEl1;
    case Access::read_execute:
      return plain | kAttributeMemory | kReadOnly;
    case Access::device:
      return plain | kAttributeDevice | kNeverEl1;
    case Access::uncached:
      return plain | kAttributeUncached | kNeverEl1;
  }
  return 0;
}

u64 take_locked() {
  u64 page = first_free;
  if (page != 0) {
    first_free = *static_cast<u64*>(direct(page));
  } else if (never_used < end_of_ram) {
    page = never_used;
    never_used += kPageSize;
  } else {
    return 0;
  }
  --free_count;
  return page;
}

u64* entries(u64 table) {
  return static_cast<u64*>(direct(table));
}

// The entry of the last level for this address. If `make` is set, missing tables are made. Called under the lock.
u64* find_entry(u64 root, u64 address, bool make) {
  u64 table = root;
  for (u32 shift = 39; shift > 12; shift -= 9) {
    u64& entry = entries(table)[(address >> shift) & 511];
    if ((entry & kValid) == 0) {
      if (!make) return nullptr;
      const u64 fresh = take_locked();
      if (fresh == 0) give_up("no RAM left for page tables");
      memset(direct(fresh), 0, kPageSize);
      asm volatile("dmb ishst" : : : "memory");
      entry = fresh | kValid | kTableOrPage;
    } else if ((entry & kTableOrPage) == 0) {
      return nullptr;  // a block of the direct mapping
    }
    table = entry & kAddressMask;
  }
  return &entries(table)[(address >> 12) & 511];
}

void flush(u64 address) {
  asm volatile("dsb ishst\n tlbi vaae1is, %0\n dsb ish\n isb" : : "r"((address >> 12) & 0xfff'ffff'ffff) : "memory");
}

Access access_in_image(u64 physical) {
  const u64 address = kKernelBase + physical;
  if (address < reinterpret_cast<u64>(image_text_begin)) return Access::read_write;
  if (address < reinterpret_cast<u64>(image_text_end)) return Access::read_execute;
  return address < reinterpret_cast<u64>(image_rodata_end) ? Access::read_only : Access::read_write;
}

void map_all_of_the_machine() {
  const u64 low = take_locked();  // the 512 entries of 1 GB of kKernelBase
  memset(direct(low), 0, kPageSize);
  entries(kernel_root)[256] = low | kValid | kTableOrPage;
  entries(low)[0] = bits_of(Access::device);
  const u64 ram = take_locked();
  memset(direct(ram), 0, kPageSize);
  entries(low)[1] = ram | kValid | kTableOrPage;
  const u64 image_stops = physical_of(image_end);
  for (u64 block = kRamBegin; block < end_of_ram; block += kBlock) {
    u64& entry = entries(ram)[(block >> 21) & 511];
    if (block >= image_stops) {
      entry = block | bits_of(Access::read_write);
      continue;
    }
    const u64 pages = take_locked();
    for (u64 i = 0; i < 512; ++i) {
      const u64 page = block + i * kPageSize;
      entries(pages)[i] = page | bits_of(access_in_image(page)) | kTableOrPage;
    }
    entry = pages | kValid | kTableOrPage;
  }
}

}  // namespace

u64 ram_begin() {
  return kRamBegin;
}
u64 ram_end() {
  return end_of_ram;
}

void begin_pages() {
  end_of_ram = end_of_free_ram() & ~(kBlock - 1);
  if (end_of_ram > kRamBegin + kMostRam) end_of_ram = kRamBegin + kMostRam;
  if (end_of_ram <= physical_of(image_end)) give_up("QEMU says that RAM ends at {x}", end_of_ram);
  never_used = (physical_of(image_end) + kPageSize - 1) & ~(kPageSize - 1);
  free_count = (end_of_ram - never_used) / kPageSize;
  kernel_root = take_locked();
  memset(direct(kernel_root), 0, kPageSize);
  map_all_of_the_machine();
}

void use_kernel_pages() {
  static u64 empty_root = 0;
  {
    const Guard guard(lock);
    if (empty_root == 0) {
      empty_root = take_locked();
      memset(direct(empty_root), 0, kPageSize);
    }
  }
  asm volatile("dsb sy" : : : "memory");
  WPERF_WRITE_SYSREG("ttbr1_el1", kernel_root);
  WPERF_WRITE_SYSREG("ttbr0_el1", empty_root);
  asm volatile("isb\n tlbi vmalle1\n dsb sy\n isb" : : : "memory");
}

u64 take_page() {
  u64 page;
  {
    const Guard guard(lock);
    page = take_locked();
  }
  if (page == 0) give_up("no RAM left");
  memset(direct(page), 0, kPageSize);
  return page;
}

u64 take_contiguous_pages(u64 count) {
  u64 first;
  {
    const Guard guard(lock);
    if (never_used + count * kPageSize > end_of_ram) give_up("no contiguous RAM left");
    first = never_used;
    never_used += count * kPageSize;
    free_count -= count;
  }
  memset(direct(first), 0, count * kPageSize);
  return first;
}

void give_page(u64 physical) {
  const Guard guard(lock);
  *static_cast<u64*>(direct(physical)) = first_free;
  first_free = physical;
  ++free_count;
}

u64 free_pages() {
  return __atomic_load_n(&free_count, __ATOMIC_RELAXED);
}

void map_kernel(u64 address, u64 physical, Access access) {
  bool replaces = false;
  {
    const Guard guard(lock);
    u64* entry = find_entry(kernel_root, address, true);
    if (entry == nullptr) give_up("the host maps over its direct mapping at {x}", address);
    replaces = (*entry & kValid) != 0;
    *entry = physical | bits_of(access) | kTableOrPage;
  }
  if (replaces) {
    flush(address);
  } else {
    asm volatile("dsb ishst\n isb" : : : "memory");
  }
}

u64 unmap_kernel(u64 address) {
  u64 physical = 0;
  {
    const Guard guard(lock);
    u64* entry = find_entry(kernel_root, address, false);
    if (entry == nullptr || (*entry & kValid) == 0) return 0;
    physical = *entry & kAddressMask;
    *entry = 0;
  }
  flush(address);
  return physical;
}

void unmap_and_give_pages(u64 address, u64 count) {
  // The pages are freed only when no core can reach them any more.
  u64 first = 0;
  for (u64 i = 0; i < count; ++i) {
    const Guard guard(lock);
    u64* entry = find_entry(kernel_root, address + i * kPageSize, false);
    if (entry == nullptr || (*entry & kValid) == 0) continue;
    const u64 physical = *entry & kAddressMask;
    *entry = 0;
    *static_cast<u64*>(direct(physical)) = first;
    first = physical;
  }
  if (count == 1) {
    flush(address);
  } else {
    asm volatile("dsb ishst\n tlbi vmalle1is\n dsb ish\n isb" : : : "memory");
  }
  while (first != 0) {
    const u64 next = *static_cast<u64*>(direct(first));
    give_page(first);
    first = next;
  }
}

bool is_mapped(u64 address) {
  const u64 interrupts = mask_interrupts();
  asm volatile("at s1e1r, %0\n isb" : : "r"(address) : "memory");
  const u64 result = WPERF_READ_SYSREG("par_el1");
  restore_interrupts(interrupts);
  return (result & 1) == 0;
}

AddressSpace make_address_space() {
  AddressSpace space = {};
  space.root = take_page();
  const Guard guard(lock);
  for (u32 tried = 0; tried < 255; ++tried) {
    const u32 number = next_space;
    next_space = next_space == 255 ? 1 : next_space + 1;
    u64& word = spaces_in_use[number / 64];
    if ((word >> (number % 64) & 1) != 0) continue;
    word |= 1ull << (number % 64);
    space.number = number;
    return space;
  }
  give_up("more than 255 processes");
}

namespace {

void drop_tables(u64 table, u32 level) {
  for (u32 i = 0; i < 512; ++i) {
    const u64 entry = entries(table)[i];
    if ((entry & (kValid | kPagedOut)) == 0) continue;
    if (level < 3) {
      drop_tables(entry & kAddressMask, level + 1);
    } else {
      give_page(entry & kAddressMask);
    }
  }
  give_page(table);
}

}  // namespace

void drop_address_space(AddressSpace& space) {
  if (space.root == 0) return;
  asm volatile("dsb ishst\n tlbi aside1is, %0\n dsb ish\n isb"
               :
               : "r"(static_cast<u64>(space.number) << 48)
               : "memory");
  drop_tables(space.root, 0);
  const Guard guard(lock);
  spaces_in_use[space.number / 64] &= ~(1ull << (space.number % 64));
  space = {};
}

void use_address_space(const AddressSpace& space) {
  WPERF_WRITE_SYSREG("ttbr0_el1", space.root | static_cast<u64>(space.number) << 48);
  instruction_barrier();
}

bool map_user_page(AddressSpace& space, u64 address, u64 physical, bool executable) {
  if (address >= kUserEnd) return false;
  const u64 kind = executable ? kReadOnly : kNeverEl0;
  const Guard guard(lock);
  u64* entry = find_entry(space.root, address, true);
  if ((*entry & (kValid | kPagedOut)) != 0) return false;
  *entry = physical | kValid | kTableOrPage | kAccessed | kInnerShareable | kNotGlobal | kEl0 | kNeverEl1 |
           kAttributeMemory | kind;
  asm volatile("dsb ishst\n isb" : : : "memory");
  return true;
}

u64 unmap_user_page(AddressSpace& space, u64 address) {
  u64 physical = 0;
  {
    const Guard guard(lock);
    u64* entry = find_entry(space.root, address, false);
    if (entry == nullptr || (*entry & (kValid | kPagedOut)) == 0) return 0;
    physical = *entry & kAddressMask;
    *entry = 0;
  }
  flush(address);
  return physical;
}

u64 user_page(const AddressSpace& space, u64 address) {
  const Guard guard(lock);
  const u64* entry = find_entry(space.root, address, false);
  return entry == nullptr || (*entry & kValid) == 0 ? 0 : *entry & kAddressMask;
}

bool page_out_user(AddressSpace& space, u64 address) {
  {
    const Guard guard(lock);
    u64* entry = find_entry(space.root, address, false);
    if (entry == nullptr || (*entry & kValid) == 0) return false;
    *entry = (*entry & ~kValid) | kPagedOut;
  }
  flush(address);
  return true;
}

bool is_user_page_out(const AddressSpace& space, u64 address) {
  const Guard guard(lock);
  const u64* entry = find_entry(space.root, address, false);
  return entry != nullptr && (*entry & kPagedOut) != 0;
}

bool page_in_user(AddressSpace& space, u64 address) {
  const Guard guard(lock);
  u64* entry = find_entry(space.root, address, false);
  if (entry == nullptr || (*entry & kPagedOut) == 0) return false;
  *entry = (*entry & ~kPagedOut) | kValid;
  asm volatile("dsb ishst\n isb" : : : "memory");
  return true;
}

}  // namespace wperf::nthost
