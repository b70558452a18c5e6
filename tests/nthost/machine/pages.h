// SPDX-License-Identifier: BSD-3-Clause
// Pages of RAM, the kernel's address space and the address spaces of processes. An access to an address that is not
// mapped here faults, and machine/vectors_taken.cpp prints the code that made it.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

constexpr u64 kPageSize = 4096;
constexpr u64 kKernelBase = 0xffff8000'0000'0000;  // physical address 0: all RAM and devices, as start.S maps them
// Each kind of memory has a separate range, so that the kind can be seen from the address.
constexpr u64 kPoolBase = 0xffffc000'0000'0000;
constexpr u64 kStackBase = 0xffffd000'0000'0000;
constexpr u64 kIoBase = 0xffffe000'0000'0000;
constexpr u64 kImageBase = 0xfffff805'1a20'0000;
constexpr u64 kUserEnd = 0x0000'8000'0000'0000;

constexpr u64 pages_of(u64 bytes) {
  return (bytes + kPageSize - 1) / kPageSize;
}

inline void* direct(u64 physical) {
  return reinterpret_cast<void*>(kKernelBase + physical);
}
inline u64 physical_of(const void* direct_mapping) {
  return reinterpret_cast<u64>(direct_mapping) - kKernelBase;
}

void begin_pages();       // core 0, once: the final kernel tables and the free list
void use_kernel_pages();  // each core: leaves the boot tables

u64 take_page();  // physical; zeroed. Gives up when RAM is exhausted.
u64 take_contiguous_pages(u64 count);
void give_page(u64 physical);
u64 free_pages();

enum class Access : u32 { read_only, read_write, read_execute, device, uncached };
void map_kernel(u64 address, u64 physical, Access access);
u64 unmap_kernel(u64 address);  // the physical page that was there, or 0
void unmap_and_give_pages(u64 address, u64 count);
bool is_mapped(u64 address);  // for EL1, readable

// A process's half of the addresses. `number` is its ASID: 1..255.
struct AddressSpace {
  u64 root;
  u32 number;
};
AddressSpace make_address_space();
void drop_address_space(AddressSpace& space);  // with all pages in it
void use_address_space(const AddressSpace& space);
bool map_user_page(AddressSpace& space, u64 address, u64 physical, bool executable);  // otherwise writable
u64 unmap_user_page(AddressSpace& space, u64 address);                                // the page, or 0
u64 user_page(const AddressSpace& space, u64 address);  // the page that is mapped there, or 0
// A page that is paged out keeps its contents and its entry; an access to it faults.
bool page_out_user(AddressSpace& space, u64 address);  // false if it is not in memory
bool page_in_user(AddressSpace& space, u64 address);   // false if it is not paged out
bool is_user_page_out(const AddressSpace& space, u64 address);

}  // namespace wperf::nthost
