// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/device_memory.h"

#include "driver/nt/nt.h"

namespace wperf::driver {
namespace {

constexpr u64 kPage = 4096;

// Checks the list and frees it. A missing list counts as an overlap, so that nothing is mapped.
bool overlaps(PHYSICAL_MEMORY_RANGE* ranges, u64 physical, u64 size) {
  if (ranges == nullptr) {
    return true;
  }
  bool found = false;
  for (const PHYSICAL_MEMORY_RANGE* range = ranges; range->NumberOfBytes.QuadPart != 0; ++range) {
    const u64 begin = static_cast<u64>(range->BaseAddress.QuadPart);
    const u64 end = begin + static_cast<u64>(range->NumberOfBytes.QuadPart);
    found = found || (physical < end && begin < physical + size);
  }
  ExFreePool(ranges);
  return found;
}

// Checks memory that Windows uses, memory of all partitions (for example of virtual machines), and memory that Windows
// reserves for files.
bool overlaps_ram(u64 physical, u64 size) {
  constexpr ULONG kAll =
      MM_GET_PHYSICAL_MEMORY_RANGES_INCLUDE_FILE_ONLY | MM_GET_PHYSICAL_MEMORY_RANGES_INCLUDE_ALL_PARTITIONS;
  return overlaps(MmGetPhysicalMemoryRanges(), physical, size) ||
         overlaps(MmGetPhysicalMemoryRangesEx2(nullptr, kAll), physical, size);
}

}  // namespace

void* map_registers(u64 physical, u64 size, DeviceAccess access) {
  if (size == 0 || physical % kPage != 0 || size % kPage != 0 || physical + size < physical ||
      overlaps_ram(physical, size)) {
    return nullptr;
  }
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(physical);
  return MmMapIoSpaceEx(address, size,
                        (access == DeviceAccess::read_only ? PAGE_READONLY : PAGE_READWRITE) | PAGE_NOCACHE);
}

void unmap_registers(void* mapping, u64 size) {
  MmUnmapIoSpace(mapping, size);
}

}  // namespace wperf::driver
