// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/ex_pool.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
namespace {

constexpr u64 kAddresses = 64ull << 30;  // addresses are reused after this many bytes
constexpr u32 kMostAllocations = 4096;
constexpr u32 kRemembered = 128;  // freed blocks, for reports
constexpr u64 kAlignment = 16;
constexpr u8 kSlack = 0xa5;

struct Allocation {
  u64 address;  // 0 = the entry is free
  u64 size;
  u32 tag;
  const char* giver;  // the NT function that returned the memory, or null
};

SpinLock lock;
Allocation allocations[kMostAllocations];
u32 used_entries = 0;
Allocation freed[kRemembered];
u32 freed_count = 0;
u64 next_address = kPoolBase;
u64 made = 0, bytes = 0;
u64 failing_after = ~0ull;

u64 first_page(const Allocation& allocation) {
  return allocation.address & ~(kPageSize - 1);
}
u64 page_count(const Allocation& allocation) {
  return pages_of(allocation.address + allocation.size - first_page(allocation));
}

struct TagText {
  char text[5];
  explicit TagText(u32 tag) {
    for (u32 i = 0; i < 4; ++i) {
      const char c = static_cast<char>(tag >> (8 * i));
      text[i] = c >= 32 && c < 127 ? c : '?';
    }
    text[4] = 0;
  }
};

// The bytes in the allocation's pages that do not belong to the allocation.
bool slack_is_untouched(const Allocation& allocation) {
  for (u64 at = first_page(allocation); at < allocation.address; ++at) {
    if (*reinterpret_cast<u8*>(at) != kSlack) return false;
  }
  const u64 end = first_page(allocation) + page_count(allocation) * kPageSize;
  for (u64 at = allocation.address + allocation.size; at < end; ++at) {
    if (*reinterpret_cast<u8*>(at) != kSlack) return false;
  }
  return true;
}

Allocation* take_entry() {
  for (u32 i = 0; i < used_entries; ++i) {
    if (allocations[i].address == 0) return &allocations[i];
  }
  return used_entries < kMostAllocations ? &allocations[used_entries++] : nullptr;
}

Allocation remove(u64 address) {
  const Guard guard(lock);
  for (u32 i = 0; i < used_entries; ++i) {
    if (allocations[i].address != address) continue;
    const Allocation found = allocations[i];
    allocations[i] = {};
    freed[freed_count++ % kRemembered] = found;
    bytes -= found.size;
    return found;
  }
  return {};
}

const Allocation* find_freed(u64 address) {
  for (u32 i = 0; i < kRemembered; ++i) {
    if (freed[i].address != 0 && address >= first_page(freed[i]) &&
        address < first_page(freed[i]) + page_count(freed[i]) * kPageSize) {
      return &freed[i];
    }
  }
  return nullptr;
}

void release(const Allocation& allocation) {
  unmap_and_give_pages(first_page(allocation), page_count(allocation));
}

}  // namespace

void* allocate_pool(u64 size, u32 tag, const char* giver) {
  const u64 wanted = size == 0 ? 1 : size;
  const u64 page_total = pages_of(wanted);
  if (page_total + 1024 > free_pages()) return nullptr;
  Allocation* entry = nullptr;
  u64 start = 0;
  {
    const Guard guard(lock);
    if (made >= failing_after) return nullptr;
    entry = take_entry();
    if (entry == nullptr) give_up("more than {} allocations", kMostAllocations);
    if (next_address + (page_total + 2) * kPageSize > kPoolBase + kAddresses) next_address = kPoolBase;
    start = next_address;
    next_address += (page_total + 1) * kPageSize;
    const u64 end = start + page_total * kPageSize;
    *entry = {end - ((wanted + kAlignment - 1) & ~(kAlignment - 1)), size, tag, giver};
    ++made;
    bytes += size;
  }
  for (u64 i = 0; i < page_total; ++i) map_kernel(start + i * kPageSize, take_page(), Access::read_write);
  memset(reinterpret_cast<void*>(start), kSlack, entry->address - start);
  const u64 stop = entry->address + size;
  memset(reinterpret_cast<void*>(stop), kSlack, start + page_total * kPageSize - stop);
  return reinterpret_cast<void*>(entry->address);
}

void free_pool(void* memory, u32 tag, const char* function) {
  const u64 address = reinterpret_cast<u64>(memory);
  const Allocation allocation = remove(address);
  if (allocation.address == 0) {
    if (find_freed(address) != nullptr) {
      fail("{}: {x} is freed twice", function, address);
    } else {
      fail("{}: {x} is no allocation", function, address);
    }
    return;
  }
  if (tag != 0 && tag != allocation.tag) {
    fail("{}: tag {} for memory of tag {}", function, TagText(tag).text, TagText(allocation.tag).text);
  }
  if (!slack_is_untouched(allocation)) {
    fail("memory of tag {}, {} bytes, was written outside", TagText(allocation.tag).text, allocation.size);
  }
  release(allocation);
}

void describe_pool_address(u64 address) {
  if (address < kPoolBase || address >= kPoolBase + kAddresses) return;
  for (u32 i = 0; i < used_entries; ++i) {
    const Allocation& it = allocations[i];
    if (it.address == 0 || address + kPageSize < it.address || address > it.address + it.size + 2 * kPageSize) continue;
    print("  {x} is near an allocation of tag {}: {} bytes at {x}", address, TagText(it.tag).text, it.size, it.address);
    return;
  }
  const Allocation* it = find_freed(address);
  if (it == nullptr) return;
  print("  {x} is in freed memory of tag {}: {} bytes at {x}", address, TagText(it->tag).text, it->size, it->address);
}

void report_pool_leaks() {
  for (u32 i = 0; i < used_entries; ++i) {
    const Allocation it = allocations[i];
    if (it.address == 0) continue;
    u64 count = 0, sum = 0;
    for (u32 j = i; j < used_entries; ++j) {
      if (allocations[j].address == 0 || allocations[j].tag != it.tag) continue;
      ++count;
      sum += allocations[j].size;
      release(remove(allocations[j].address));
    }
    if (it.giver != nullptr) {
      fail("leak: {} pieces of memory that {} gave, {} bytes", count, it.giver, sum);
    } else {
      fail("leak: {} allocations of tag {}, {} bytes", count, TagText(it.tag).text, sum);
    }
  }
}

void fail_allocation_after(u64 count) {
  const Guard guard(lock);
  failing_after = count == ~0ull ? count : made + count;
}

u64 pool_allocations() {
  return made;
}
u64 pool_bytes_in_use() {
  return bytes;
}

}  // namespace wperf::nthost
