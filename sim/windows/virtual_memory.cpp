// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/virtual_memory.h"

#include <algorithm>
#include <vector>

#include "sim/windows/placement.h"

namespace wperf::sim {
namespace {

constexpr u64 kMemoryArea = 0x01d0'0000'0000;
constexpr u64 kHighest = 0x7fff'0000'0000;
constexpr u64 kMostReserved = 1ull << 40;
constexpr u64 kMostCommitted = 8ull << 30;
constexpr usize kMostReservations = 65536;
constexpr u64 kLargestRegion = 256ull << 20;  // splitting copies a region, so regions stay small enough to copy

constexpr u64 round_up(u64 value, u64 unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr u64 round_down(u64 value, u64 unit) {
  return value / unit * unit;
}

}  // namespace

VirtualMemory::VirtualMemory(AddressSpace& space, u64 seed)
    : space_(space), first_(kMemoryArea + random_offset(seed, PlacedThing::memory, 0, 0x10000)) {}

const std::pair<const u64, u64>* VirtualMemory::reservation_of(u64 address, u64 size) const {
  auto found = reservations_.upper_bound(address);
  if (found == reservations_.begin()) return nullptr;
  --found;
  const u64 offset = address - found->first;
  return offset < found->second && size <= found->second - offset ? &*found : nullptr;
}

bool VirtualMemory::is_free(u64 base, u64 size) const {
  const auto next = reservations_.lower_bound(base);
  if (next != reservations_.end() && next->first < base + size) return false;
  if (next != reservations_.begin() && std::prev(next)->first + std::prev(next)->second > base) return false;
  for (const Region& region : space_.regions()) {
    if (region.base < base + size && base < region.base + region.size) return false;
  }
  return true;
}

u64 VirtualMemory::reserve(u64 address, u64 size) {
  if (size == 0 || size > kMostReserved || reservations_.size() == kMostReservations) return 0;
  if (address != 0) {
    if (address < kAllocationGranularity || address > kHighest) return 0;
    const u64 base = round_down(address, kAllocationGranularity);
    const u64 whole = round_up(address + size, kPageSize) - base;
    if (base + whole > kHighest || !is_free(base, whole)) return 0;
    reservations_.emplace(base, whole);
    return base;
  }
  const u64 whole = round_up(size, kPageSize);
  u64 base = first_;
  for (auto next = reservations_.lower_bound(first_); next != reservations_.end(); ++next) {
    if (next->first >= base + whole) break;
    base = round_up(next->first + next->second, kAllocationGranularity);
  }
  if (base + whole > kHighest || !is_free(base, whole)) return 0;
  reservations_.emplace(base, whole);
  return base;
}

bool VirtualMemory::commit(u64 address, u64 size, u32 permissions) {
  if (size == 0 || reservation_of(address, size) == nullptr) return false;
  u64 at = round_down(address, kPageSize);
  const u64 end = round_up(address + size, kPageSize);
  std::vector<std::pair<u64, u64>> gaps;
  u64 wanted = 0;
  for (const Region& region : space_.regions()) {
    if (region.base + region.size <= at || region.base >= end) continue;
    if (region.base > at) gaps.emplace_back(at, region.base - at);
    at = region.base + region.size;
  }
  if (at < end) gaps.emplace_back(at, end - at);
  for (const auto& gap : gaps) wanted += gap.second;
  if (wanted > kMostCommitted - committed_) return false;
  for (const auto& [base, length] : gaps) {
    for (u64 done = 0; done < length; done += kLargestRegion) {
      const u64 piece = std::min(kLargestRegion, length - done);
      if (!space_.map(base + done, piece, permissions)) return false;
      committed_ += piece;
    }
  }
  return true;
}

u64 VirtualMemory::allocate(u64 size, u32 permissions) {
  const u64 base = reserve(0, size);
  if (base == 0) return 0;
  if (commit(base, size, permissions)) return base;
  (void)release(base);
  return 0;
}

void VirtualMemory::split_at(u64 address) {
  Region whole;
  for (const Region& region : space_.regions()) {
    if (address > region.base && address < region.base + region.size) whole = region;
  }
  if (whole.size == 0) return;
  const std::vector<std::byte> bytes(whole.host, whole.host + whole.size);
  const u64 below = address - whole.base;
  space_.unmap(whole.base);
  if (space_.map(whole.base, below, whole.permissions)) space_.write(whole.base, bytes.data(), below);
  if (space_.map(address, whole.size - below, whole.permissions)) {
    space_.write(address, bytes.data() + below, whole.size - below);
  }
}

void VirtualMemory::unmap_range(u64 base, u64 end) {
  split_at(base);
  split_at(end);
  std::vector<Region> inside;
  for (const Region& region : space_.regions()) {
    if (region.base >= base && region.base < end) inside.push_back(region);
  }
  for (const Region& region : inside) {
    space_.unmap(region.base);
    committed_ -= std::min(committed_, region.size);
  }
}

bool VirtualMemory::decommit(u64 address, u64 size) {
  const auto* const reservation = reservation_of(address, size);
  if (reservation == nullptr) return false;
  if (size == 0) {
    if (reservation->first != address) return false;
    size = reservation->second;
  }
  unmap_range(round_down(address, kPageSize), round_up(address + size, kPageSize));
  return true;
}

bool VirtualMemory::release(u64 address) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end()) return false;
  unmap_range(found->first, found->first + found->second);
  reservations_.erase(found);
  return true;
}

std::optional<u32> VirtualMemory::protect(u64 address, u64 size, u32 permissions) {
  if (size == 0 || address + size < address || address + size > kHighest) return std::nullopt;
  const u64 begin = round_down(address, kPageSize);
  const u64 end = round_up(address + size, kPageSize);
  u64 at = begin;
  std::optional<u32> before;
  for (const Region& region : space_.regions()) {
    if (region.base + region.size <= at) continue;
    if (region.base > at || at >= end) break;
    if (!before) before = region.permissions;
    at = region.base + region.size;
  }
  if (at < end) return std::nullopt;
  split_at(begin);
  split_at(end);
  const std::vector<Region> regions = space_.regions();
  for (const Region& region : regions) {
    if (region.base >= begin && region.base < end) space_.protect(region.base, region.size, permissions);
  }
  return before;
}

VirtualMemory::Area VirtualMemory::query(u64 address) const {
  Area area;
  area.base = round_down(address, kPageSize);
  u64 end = kHighest;
  if (const auto* const reservation = reservation_of(address, 1)) {
    area.reservation = reservation->first;
    end = reservation->first + reservation->second;
  } else if (const auto next = reservations_.upper_bound(address); next != reservations_.end()) {
    end = next->first;
  }
  for (const Region& region : space_.regions()) {
    if (region.base + region.size <= area.base) continue;
    if (region.base <= area.base) {
      area.committed = true;
      area.permissions = region.permissions;
      end = region.base + region.size;
    } else {
      end = std::min(end, region.base);
    }
    break;
  }
  area.size = end > area.base ? end - area.base : kPageSize;
  return area;
}

}  // namespace wperf::sim
