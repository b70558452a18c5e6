// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/nt/placement.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kMemoryArea = 0x01d0'0000'0000;
constexpr u64 kMostReserved = 1ull << 42;
constexpr u64 kMostCommitted = 8ull << 30;
constexpr usize kMostBlocks = 16384;

constexpr u64 round_up(u64 value, u64 unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Memory::Memory(AddressSpace& space, u64 seed)
    : space_(space), first_(kMemoryArea + random_offset(seed, PlacedThing::memory, 0, 0x10000)) {}

// The AddressSpace must not keep the memory that the blocks lent to it.
Memory::~Memory() {
  for (const auto& [base, block] : blocks_) space_.take_back(base, block.size);
}

bool Memory::is_protection(u32 protection) {
  const u32 access = protection & 0xff;
  // PAGE_NOCACHE, PAGE_WRITECOMBINE, PAGE_TARGETS_INVALID
  constexpr u32 kModifiers = kPageGuard | 0x200 | 0x400 | 0x40000000;
  return (protection & ~(0xff | kModifiers)) == 0 && access != 0 && (access & (access - 1)) == 0;
}

u32 Memory::permissions_of(u32 protection) {
  if ((protection & kPageGuard) != 0) return 0;
  switch (protection & 0xff) {
    case kPageReadOnly:
      return kRead;
    case kPageReadWrite:
    case kPageWriteCopy:
      return kRead | kWrite;
    case kPageExecute:
    case kPageExecuteRead:
      return kRead | kExecute;
    case kPageExecuteReadWrite:
    case kPageExecuteWriteCopy:
      return kRead | kWrite | kExecute;
    default:
      return 0;
  }
}

Memory::Blocks::iterator Memory::block_at(u64 address) {
  const auto found = std::as_const(*this).block_at(address);
  return blocks_.erase(found, found);  // the same element, without const
}
Memory::Blocks::const_iterator Memory::block_at(u64 address) const {
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return blocks_.end();
  --found;
  return address - found->first < found->second.size ? found : blocks_.end();
}

bool Memory::is_free(u64 base, u64 size) const {
  const auto next = blocks_.lower_bound(base);
  if (next != blocks_.end() && next->first < base + size) return false;
  return next == blocks_.begin() || std::prev(next)->first + std::prev(next)->second.size <= base;
}

u64 Memory::find_place(const ReserveOptions& options, u64 size) const {
  const u64 unit = std::max<u64>(options.alignment, kAllocationGranularity);
  if ((unit & (unit - 1)) != 0) return 0;
  const u64 highest = std::min(options.highest, kHighestAddress);
  if (size > highest) return 0;
  if (options.downwards) {
    u64 base = (highest + 1 - size) / unit * unit;
    while (base >= std::max(options.lowest, kLowestAddress) && !is_free(base, size)) {
      auto above = blocks_.lower_bound(base + size);
      const u64 taken = std::prev(above)->first;
      if (taken < size) return 0;
      base = (taken - size) / unit * unit;
    }
    return base >= std::max(options.lowest, kLowestAddress) ? base : 0;
  }
  u64 base =
      round_up(std::max(options.lowest != 0 || highest < first_ ? options.lowest : first_, kLowestAddress), unit);
  while (base <= highest - size + 1 && !is_free(base, size)) {
    const auto next = blocks_.upper_bound(base);
    const bool inside = next != blocks_.begin() && std::prev(next)->first + std::prev(next)->second.size > base;
    const auto& [start, block] = inside ? *std::prev(next) : *next;
    base = round_up(start + block.size, unit);
  }
  return base <= highest - size + 1 ? base : 0;
}

u64 Memory::reserve(const ReserveOptions& options) {
  if (!options.replaces_placeholder) return reserve_anew(options);
  const auto found = blocks_.find(options.address);
  if (found == blocks_.end() || !found->second.placeholder || found->second.size != options.size) return 0;
  reserved_ -= options.size;
  blocks_.erase(found);
  const u64 base = reserve_anew(options);
  if (base == 0) add_placeholder(options.address, options.size);
  return base;
}

u64 Memory::reserve_anew(const ReserveOptions& options) {
  if (options.size == 0 || options.size > kMostReserved || blocks_.size() >= kMostBlocks) return 0;
  u64 base = 0, size = 0;
  if (options.address != 0) {
    if (options.address < kLowestAddress || options.address > kHighestAddress) return 0;
    base = options.replaces_placeholder ? options.address
                                        : options.address / kAllocationGranularity * kAllocationGranularity;
    size = page_up(options.address + options.size) - base;
    if (base + size - 1 > kHighestAddress || !is_free(base, size)) return 0;
  } else {
    size = page_up(options.size);
    base = find_place(options, size);
    if (base == 0) return 0;
  }
  if (reserved_ + size > kMostReserved) return 0;
  if (options.placeholder) {
    add_placeholder(base, size);
    return base;
  }
  Block block;
  block.size = size;
  block.protection = options.protection;
  block.type = options.type;
  block.memory = options.memory;
  block.offset = options.offset;
  if (block.memory == nullptr) block.memory = HostMemory::make(size);
  if (block.memory == nullptr || block.offset > block.memory->size() || size > block.memory->size() - block.offset)
    return 0;
  reserved_ += size;
  block.watched = options.watches;
  if (block.watched) ++watched_;
  blocks_.emplace(base, std::move(block));
  return base;
}

void Memory::add_placeholder(u64 base, u64 size) {
  Block block;
  block.size = size;
  block.protection = kPageNoAccess;
  block.placeholder = true;
  reserved_ += size;
  blocks_.emplace(base, std::move(block));
}

Status Memory::preserve_placeholder(u64 address, u64 size) {
  const auto found = block_at(address);
  if (found == blocks_.end() || blocks_.size() + 2 > kMostBlocks) return kConflictingAddresses;
  const u64 base = found->first, before = address - base;
  if (size == 0) size = found->second.size - before;
  if (page_down(address) != address || page_up(size) != size || size > found->second.size - before)
    return kConflictingAddresses;
  const u64 after = found->second.size - before - size;
  if (!found->second.placeholder && (before != 0 || after != 0)) return kConflictingAddresses;
  if (const Status status = release(base); status != kSuccess) return status;
  add_placeholder(address, size);
  if (before != 0) add_placeholder(base, before);
  if (after != 0) add_placeholder(address + size, after);
  return kSuccess;
}

Status Memory::coalesce_placeholders(u64 address, u64 size) {
  u64 end = address;
  const auto first = blocks_.find(address);
  auto next = first;
  for (; next != blocks_.end() && next->first == end && next->second.placeholder && end - address < size; ++next)
    end += next->second.size;
  if (size == 0 || end - address != size) return kConflictingAddresses;
  reserved_ -= size;
  blocks_.erase(first, next);
  add_placeholder(address, size);
  return kSuccess;
}

// Splits the range of committed pages that crosses this address.
void Memory::cut(Block& block, u64 at) {
  auto range = block.pages.upper_bound(at);
  if (range == block.pages.begin()) return;
  --range;
  auto& [end, protection] = range->second;
  if (range->first == at || end <= at) return;
  block.pages.emplace(at, std::pair{end, protection});
  end = at;
}

void Memory::set_pages(Block& block, u64 begin, u64 end, u32 protection) {
  cut(block, begin);
  cut(block, end);
  block.pages.erase(block.pages.lower_bound(begin), block.pages.lower_bound(end));
  if (protection == 0) return;
  const auto next = block.pages.lower_bound(end);
  if (next != block.pages.end() && next->first == end && next->second.second == protection) {
    end = next->second.first;
    block.pages.erase(next);
  }
  const auto after = block.pages.lower_bound(begin);
  if (after != block.pages.begin()) {
    const auto before = std::prev(after);
    if (before->second.first == begin && before->second.second == protection) {
      before->second.first = end;
      return;
    }
  }
  block.pages.emplace(begin, std::pair{end, protection});
}

bool Memory::has_room(u64 size) const {
  return committed_ + size <= kMostCommitted;
}

std::vector<std::pair<u64, u64>> Memory::gaps_in(const Block& block, u64 begin, u64 end) {
  std::vector<std::pair<u64, u64>> gaps;
  for (u64 at = begin; at < end;) {
    const auto next = block.pages.upper_bound(at);
    if (next != block.pages.begin() && std::prev(next)->second.first > at) {
      at = std::prev(next)->second.first;
      continue;
    }
    const u64 until = next == block.pages.end() ? end : std::min(end, next->first);
    gaps.emplace_back(at, until);
    at = until;
  }
  return gaps;
}

Status Memory::commit(u64 address, u64 size, u32 protection) {
  const auto found = block_at(address);
  if (size == 0 || size > kMostReserved || found == blocks_.end()) return kConflictingAddresses;
  Block& block = found->second;
  const u64 begin = page_down(address), end = page_up(address + size);
  if (block.placeholder || end > found->first + block.size) return kConflictingAddresses;
  const std::vector<std::pair<u64, u64>> gaps = gaps_in(block, begin, end);
  u64 more = 0;
  for (const auto& [from, until] : gaps) more += until - from;
  if (!has_room(more)) return kNoMemory;
  committed_ += more;
  pages_so_far_ += more / kPageSize;
  const u32 permissions = permissions_of(protection) & (block.watched ? ~u32{kWrite} : ~u32{0});
  std::byte* const memory = block.memory->data() + block.offset;
  permit(block, begin, end, protection);
  for (const auto& [from, until] : gaps) space_.lend(from, until - from, permissions, memory + (from - found->first));
  set_pages(block, begin, end, protection);
  return kSuccess;
}

u64 Memory::private_bytes() const {
  u64 bytes = 0;
  for (const auto& [base, block] : blocks_) {
    if (block.type != MemoryType::private_pages) continue;
    for (const auto& [begin, range] : block.pages) bytes += range.first - begin;
  }
  return bytes;
}

Status Memory::commit_rest(u64 address, u64 size) {
  const auto found = block_at(address);
  if (found == blocks_.end() || size > found->first + found->second.size - address) return kConflictingAddresses;
  for (const auto& [from, until] : gaps_in(found->second, address, address + size)) {
    if (const Status status = commit(from, until - from, found->second.protection); status != kSuccess) return status;
  }
  return kSuccess;
}

Status Memory::decommit(u64 address, u64 size) {
  const auto found = block_at(address);
  if (found == blocks_.end()) return kConflictingAddresses;
  Block& block = found->second;
  if (block.placeholder || block.type != MemoryType::private_pages) return kUnableToFreeVm;
  const u64 begin = size == 0 ? found->first : page_down(address);
  if (size > kMostReserved) return kUnableToFreeVm;
  const u64 end = size == 0 ? found->first + block.size : page_up(address + size);
  if (end > found->first + block.size) return kUnableToFreeVm;
  cut(block, begin);
  cut(block, end);
  for (auto range = block.pages.lower_bound(begin); range != block.pages.end() && range->first < end; ++range)
    committed_ -= range->second.first - range->first;
  set_pages(block, begin, end, 0);
  block.written.erase(block.written.lower_bound(begin), block.written.lower_bound(end));
  space_.take_back(begin, end - begin);
  block.memory->clear(block.offset + (begin - found->first), end - begin);
  return kSuccess;
}

Status Memory::release(u64 address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return kUnableToFreeVm;
  for (const auto& [begin, range] : found->second.pages) committed_ -= range.first - begin;
  space_.take_back(found->first, found->second.size);
  reserved_ -= found->second.size;
  if (found->second.watched) --watched_;
  blocks_.erase(found);
  return kSuccess;
}

Status Memory::protect(u64 address, u64 size, u32 protection, u32& before) {
  const auto found = block_at(address);
  if (size == 0 || size > kMostReserved || found == blocks_.end()) return kConflictingAddresses;
  Block& block = found->second;
  const u64 begin = page_down(address), end = page_up(address + size);
  if (end > found->first + block.size) return kConflictingAddresses;
  bool first = true;
  for (u64 at = begin; at < end;) {
    auto range = block.pages.upper_bound(at);
    if (range == block.pages.begin()) return kNotCommitted;
    --range;
    if (range->second.first <= at) return kNotCommitted;
    if (first) before = range->second.second;
    first = false;
    at = range->second.first;
  }
  set_pages(block, begin, end, protection);
  permit(block, begin, end, protection);
  return kSuccess;
}

Memory::Area Memory::query(u64 address) const {
  Area area;
  area.base = page_down(address);
  const auto found = block_at(area.base);
  if (found == blocks_.end()) {
    const auto next = blocks_.upper_bound(area.base);
    area.size = (next == blocks_.end() ? kHighestAddress + 1 : next->first) - area.base;
    return area;
  }
  const Block& block = found->second;
  area.allocation = found->first;
  area.allocation_protection = block.protection;
  area.type = block.type;
  const auto next = block.pages.upper_bound(area.base);
  u64 end = next == block.pages.end() ? found->first + block.size : next->first;
  if (next != block.pages.begin() && std::prev(next)->second.first > area.base) {
    area.protection = std::prev(next)->second.second;
    end = std::prev(next)->second.first;
  }
  area.size = end - area.base;
  return area;
}

std::optional<Memory::Reservation> Memory::reservation_of(u64 address) const {
  const auto found = block_at(address);
  if (found == blocks_.end()) return std::nullopt;
  return Reservation{found->first, found->second.size, found->second.type};
}

bool Memory::hit_guard_page(u64 address) {
  const Area area = query(address);
  if ((area.protection & kPageGuard) == 0) return false;
  u32 before = 0;
  return protect(area.base, kPageSize, area.protection & ~kPageGuard, before) == kSuccess;
}

}  // namespace wperf::sim::nt
