// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/guest_memory.h"

#include <algorithm>
#include <vector>

#include "sim/nt/memory.h"

namespace wperf::sim {
namespace {

constexpr u64 kPiece = 64 << 10;

}  // namespace

bool GuestMemory::allows(u64 address, u64 size, u32 permissions) const {
  if (size == 0) return true;
  if ((permissions & kWrite) != 0 && memory_ != nullptr && memory_->watches_any()) memory_->note_writes(address, size);
  const std::vector<Region>& regions = space_.regions();
  auto region = std::upper_bound(regions.begin(), regions.end(), address,
                                 [](u64 wanted, const Region& candidate) { return wanted < candidate.base; });
  if (region == regions.begin()) return false;
  --region;
  for (u64 left = size; region != regions.end(); ++region) {
    const u64 offset = address - region->base;
    if (address < region->base || offset >= region->size) return false;
    if ((region->permissions & permissions) != permissions) return false;
    const u64 part = std::min(left, region->size - offset);
    left -= part;
    address += part;
    if (left == 0) return true;
  }
  return false;
}

bool GuestMemory::read(u64 address, void* out, u64 size) const {
  return allows(address, size, kRead) && space_.read(address, out, size);
}

bool GuestMemory::write(u64 address, const void* in, u64 size) {
  return allows(address, size, kWrite) && space_.write(address, in, size);
}

bool GuestMemory::copy(u64 to, u64 from, u64 size) {
  if (!allows(from, size, kRead) || !allows(to, size, kWrite)) return false;
  std::vector<std::byte> piece(std::min(size, kPiece));
  const bool backwards = to > from;  // the ranges may overlap
  for (u64 done = 0; done < size;) {
    const u64 part = std::min<u64>(piece.size(), size - done);
    const u64 offset = backwards ? size - done - part : done;
    if (!space_.read(from + offset, piece.data(), part) || !space_.write(to + offset, piece.data(), part)) return false;
    done += part;
  }
  return true;
}

}  // namespace wperf::sim
