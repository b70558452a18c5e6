// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/device_memory.h"

#include "driver/nt/nt.h"

namespace wperf::driver {
namespace {

constexpr u64 kPage = 4096;

bool overlaps_ram(u64 physical, u64 size) {
  PHYSICAL_MEMORY_RANGE* ranges = MmGetPhysicalMemoryRanges();
  if (ranges == nullptr) {
    return true;  // not known, so not allowed
  }
  bool overlaps = false;
  for (const PHYSICAL_MEMORY_RANGE* range = ranges; range->NumberOfBytes.QuadPart != 0; ++range) {
    const u64 begin = static_cast<u64>(range->BaseAddress.QuadPart);
    const u64 end = begin + static_cast<u64>(range->NumberOfBytes.QuadPart);
    overlaps = overlaps || (physical < end && begin < physical + size);
  }
  ExFreePool(ranges);
  return overlaps;
}

}  // namespace

void* map_registers(u64 physical, u64 size) {
  if (size == 0 || physical % kPage != 0 || size % kPage != 0 || physical + size < physical ||
      overlaps_ram(physical, size)) {
    return nullptr;
  }
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(physical);
  return MmMapIoSpaceEx(address, size, PAGE_READWRITE | PAGE_NOCACHE);
}

void unmap_registers(void* mapping, u64 size) {
  MmUnmapIoSpace(mapping, size);
}

}  // namespace wperf::driver
