// SPDX-License-Identifier: BSD-3-Clause
// MmMapIoSpaceEx, MmUnmapIoSpace, MmGetPhysicalMemoryRanges and its newer form. Physical ranges come from
// add_device_memory.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMost = 64;
constexpr u32 kMemoryTag = 0x6d4d6e4d;

struct DeviceMemory {
  u64 physical, bytes, backing;
};
struct Mapping {
  u64 address, bytes;
};
struct PhysicalSpan {
  u64 begin, bytes;
};

SpinLock lock;
DeviceMemory devices[kMost];
Mapping mappings[kMost];
u64 next_address = kIoBase;
PhysicalSpan partition;  // for example memory of a virtual machine

// The RAM page that replaces a physical one, or 0.
u64 backing_of(u64 physical) {
  for (const DeviceMemory& it : devices) {
    if (it.bytes != 0 && physical >= it.physical && physical - it.physical < it.bytes) {
      return it.backing + (physical - it.physical);
    }
  }
  return 0;
}

bool overlaps_ram(u64 physical, u64 bytes) {
  return (physical < ram_end() && physical + bytes > ram_begin()) ||
         (physical < partition.begin + partition.bytes && physical + bytes > partition.begin);
}

}  // namespace

void add_device_memory(u64 physical, void* memory, u64 bytes) {
  if ((physical | reinterpret_cast<u64>(memory)) % kPageSize != 0) give_up("device memory is not aligned to pages");
  const Guard guard(lock);
  for (DeviceMemory& it : devices) {
    if (it.bytes != 0) continue;
    it = {physical, bytes, physical_of(memory)};
    return;
  }
  give_up("more than {} ranges of device memory", kMost);
}

void set_memory_of_partition(u64 physical, u64 bytes) {
  partition = {physical, bytes};
}

void remove_device_memory() {
  const Guard guard(lock);
  partition = {};
  for (DeviceMemory& it : devices) it = {};
}

void report_mm_leaks() {
  for (Mapping& it : mappings) {
    if (it.bytes == 0) continue;
    fail("leak: a mapping of {} bytes of device memory", it.bytes);
    for (u64 at = it.address; at < it.address + it.bytes; at += kPageSize) unmap_kernel(at & ~(kPageSize - 1));
    it = {};
  }
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS physical, SIZE_T size, ULONG protect) {
  WPERF_ALLOW_UP_TO(kDispatch);
  const wperf::u64 start = static_cast<wperf::u64>(physical.QuadPart);
  const bool read_only = protect == (PAGE_READONLY | PAGE_NOCACHE);
  if (!read_only && protect != (PAGE_READWRITE | PAGE_NOCACHE))
    fail("MmMapIoSpaceEx: protection {x} of device memory", protect);
  if (size == 0 || start + size < start) {
    fail("MmMapIoSpaceEx: {} bytes at {x}", size, start);
    return nullptr;
  }
  // Windows stops the system for some mappings of RAM and forbids all others.
  if (overlaps_ram(start, size)) {
    fail("MmMapIoSpaceEx: {} bytes at {x} are RAM", size, start);
    return nullptr;
  }
  const wperf::u64 first = start & ~(kPageSize - 1), count = pages_of(start + size - first);
  for (wperf::u64 i = 0; i < count; ++i) {
    if (backing_of(first + i * kPageSize) == 0) return nullptr;
  }
  wperf::u64 address = 0;
  {
    const Guard guard(lock);
    address = next_address;
    next_address += (count + 1) * kPageSize;
    for (Mapping& it : mappings) {
      if (it.bytes != 0) continue;
      it = {address + start % kPageSize, size};
      break;
    }
  }
  // The pages of the range are RAM here, so this mapping must have the same cacheability as the scenario's own.
  for (wperf::u64 i = 0; i < count; ++i) {
    map_kernel(address + i * kPageSize, backing_of(first + i * kPageSize),
               read_only ? Access::read_only : Access::read_write);
  }
  return reinterpret_cast<PVOID>(address + start % kPageSize);
}

extern "C" void MmUnmapIoSpace(PVOID mapping, SIZE_T size) {
  WPERF_ALLOW_UP_TO(kDispatch);
  const wperf::u64 address = reinterpret_cast<wperf::u64>(mapping);
  for (Mapping& it : mappings) {
    if (it.bytes == 0 || it.address != address) continue;
    if (it.bytes != size) fail("MmUnmapIoSpace: {} bytes of a mapping of {}", size, it.bytes);
    for (wperf::u64 at = address & ~(kPageSize - 1); at < address + it.bytes; at += kPageSize) unmap_kernel(at);
    it = {};
    return;
  }
  fail("MmUnmapIoSpace: {x} is no mapping", address);
}

namespace {

PHYSICAL_MEMORY_RANGE* ranges_of_memory(bool all_partitions, const char* caller) {
  auto* ranges =
      static_cast<PHYSICAL_MEMORY_RANGE*>(allocate_pool(3 * sizeof(PHYSICAL_MEMORY_RANGE), kMemoryTag, caller));
  if (ranges == nullptr) return nullptr;
  ranges[0].BaseAddress.QuadPart = static_cast<LONGLONG>(ram_begin());
  ranges[0].NumberOfBytes.QuadPart = static_cast<LONGLONG>(ram_end() - ram_begin());
  if (all_partitions) {
    ranges[1].BaseAddress.QuadPart = static_cast<LONGLONG>(partition.begin);
    ranges[1].NumberOfBytes.QuadPart = static_cast<LONGLONG>(partition.bytes);
  }
  return ranges;
}

}  // namespace

extern "C" PHYSICAL_MEMORY_RANGE* MmGetPhysicalMemoryRanges() {
  WPERF_ALLOW_ONLY(kPassive);
  return ranges_of_memory(false, __func__);
}

extern "C" PHYSICAL_MEMORY_RANGE* MmGetPhysicalMemoryRangesEx2(PVOID of, ULONG flags) {
  WPERF_ALLOW_ONLY(kPassive);
  if (of != nullptr || (flags & ~3u) != 0) fail("MmGetPhysicalMemoryRangesEx2: partition {}, flags {x}", of, flags);
  return ranges_of_memory((flags & MM_GET_PHYSICAL_MEMORY_RANGES_INCLUDE_ALL_PARTITIONS) != 0, __func__);
}
