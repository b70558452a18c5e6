// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/heap.h"

#include <algorithm>

namespace wperf::sim {
namespace {

constexpr u64 kSegment = 1 << 20;
constexpr u64 kOwnAllocation = 512 << 10;  // as on Windows, large blocks come directly from VirtualAlloc
constexpr u64 kAlignment = 16;
constexpr u64 kHeader = 16;  // Windows keeps a header before each block; this keeps blocks at the same distance
constexpr u64 kLargest = 1ull << 40;
constexpr usize kMostBlocks = 16u << 20;

}  // namespace

u64 Heap::allocate(VirtualMemory& memory, u64 size) {
  if (size > kLargest || blocks_.size() >= kMostBlocks) return 0;
  if (size >= kOwnAllocation) {
    const u64 base = memory.allocate(size + kHeader, kRead | kWrite);
    if (base == 0) return 0;
    segments_.emplace(base, size);
    blocks_.emplace(base + kHeader, Block{size, 0});
    return base + kHeader;
  }
  const u64 needed = (std::max<u64>(size, 1) + kHeader + kAlignment - 1) / kAlignment * kAlignment;
  auto room = std::find_if(free_.begin(), free_.end(), [&](const auto& piece) { return piece.second >= needed; });
  if (room == free_.end()) {
    const u64 base = memory.allocate(kSegment, kRead | kWrite);
    if (base == 0) return 0;
    segments_.emplace(base, kSegment);
    room = free_.emplace(base, kSegment).first;
  }
  const u64 start = room->first;
  const u64 left = room->second - needed;
  free_.erase(room);
  if (left != 0) free_.emplace(start + needed, left);
  blocks_.emplace(start + kHeader, Block{size, needed});
  return start + kHeader;
}

bool Heap::comes_zeroed(u64 size) {
  return size >= kOwnAllocation;
}

bool Heap::free(VirtualMemory& memory, u64 address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  const Block block = found->second;
  blocks_.erase(found);
  u64 start = address - kHeader;
  if (block.held == 0) {
    segments_.erase(start);
    return memory.release(start);
  }
  u64 size = block.held;
  const auto next = free_.upper_bound(start);
  // Two segments may be adjacent; joining them would make a block that spans reservations.
  if (next != free_.end() && next->first == start + size && segments_.count(next->first) == 0) {
    size += next->second;
    free_.erase(next);
  }
  auto before = free_.lower_bound(start);
  if (before != free_.begin() && segments_.count(start) == 0) {
    --before;
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  free_.emplace(start, size);
  return true;
}

std::optional<u64> Heap::size_of(u64 address) const {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? std::nullopt : std::optional<u64>(found->second.asked);
}

void Heap::destroy(VirtualMemory& memory) {
  for (const auto& segment : segments_) (void)memory.release(segment.first);
  segments_.clear();
  blocks_.clear();
  free_.clear();
}

}  // namespace wperf::sim
