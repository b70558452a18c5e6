// SPDX-License-Identifier: BSD-3-Clause
// Reservations that note which of their pages were written. A page that was not written yet is write-protected for the
// cores, so the first store to it is a page fault, whose handling notes the page and makes it writable.

#include "sim/nt/memory.h"

namespace wperf::sim::nt {
void Memory::permit(const Block& block, u64 begin, u64 end, u32 protection) {
  const u32 permissions = permissions_of(protection);
  space_.protect_lent(begin, end - begin, block.watched ? permissions & ~u32{kWrite} : permissions);
  if ((permissions & kWrite) == 0) return;
  const auto last = block.written.lower_bound(end);
  for (auto page = block.written.lower_bound(begin); page != last; ++page)
    space_.protect_lent(*page, kPageSize, permissions);
}

bool Memory::note_write(u64 address) {
  const u32 permissions = permissions_of(query(address).protection);
  const auto found = block_at(address);
  if (found == blocks_.end() || !found->second.watched || (permissions & kWrite) == 0) return false;
  const u64 page = page_down(address);
  if (!found->second.written.insert(page).second) return false;
  space_.protect_lent(page, kPageSize, permissions);
  return true;
}

void Memory::note_writes(u64 address, u64 size) {
  const auto found = block_at(address);
  if (found == blocks_.end() || !found->second.watched) return;
  const u64 end =
      size > found->first + found->second.size - address ? found->first + found->second.size : address + size;
  for (u64 page = page_down(address); page < end; page += kPageSize) {
    if (query(page).protection == 0) return;  // nothing will be written beyond it either
    (void)note_write(page);
  }
}

std::optional<std::vector<u64>> Memory::written(u64 address, u64 size, usize most) const {
  const auto found = block_at(address);
  if (found == blocks_.end() || !found->second.watched || size > found->first + found->second.size - address)
    return std::nullopt;
  std::vector<u64> pages;
  const std::set<u64>& all = found->second.written;
  for (auto page = all.lower_bound(page_down(address)); page != all.end() && *page < address + size; ++page) {
    if (pages.size() == most) break;
    pages.push_back(*page);
  }
  return pages;
}

void Memory::forget_writes(const std::vector<u64>& pages) {
  for (const u64 page : pages) {
    const auto found = block_at(page);
    if (found == blocks_.end() || found->second.written.erase(page) == 0) continue;
    space_.protect_lent(page, kPageSize, permissions_of(query(page).protection) & ~u32{kWrite});
  }
}

}  // namespace wperf::sim::nt
