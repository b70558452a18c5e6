// SPDX-License-Identifier: BSD-3-Clause
// VirtualAlloc and its family over an AddressSpace: reservations of 64 KiB granularity, pages committed inside them,
// permissions changed page by page (an AddressSpace has only whole regions, so regions are split here). Owned by a
// process's state.
#pragma once
#include <map>
#include <optional>

#include "base/ints.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

class VirtualMemory {
 public:
  VirtualMemory(AddressSpace& space, u64 seed);

  // For address 0 a free range is chosen. Returns 0 if the range is not free, or memory is short.
  u64 reserve(u64 address, u64 size);
  [[nodiscard]] bool commit(u64 address, u64 size, u32 permissions);  // inside one reservation; committed pages stay
  u64 allocate(u64 size, u32 permissions);                            // reserve and commit anywhere
  [[nodiscard]] bool decommit(u64 address, u64 size);                 // size 0: the whole reservation at address
  [[nodiscard]] bool release(u64 address);
  // Also for pages of images and stacks. Returns the first page's old permissions, or nullopt if a page is not
  // committed.
  std::optional<u32> protect(u64 address, u64 size, u32 permissions);

  struct Area {
    u64 base = 0, size = 0;  // pages with the same state from here on
    u64 reservation = 0;     // 0 if free, or not made by VirtualAlloc
    bool committed = false;
    u32 permissions = 0;
  };
  Area query(u64 address) const;

 private:
  const std::pair<const u64, u64>* reservation_of(u64 address, u64 size) const;
  bool is_free(u64 base, u64 size) const;
  void split_at(u64 address);
  void unmap_range(u64 base, u64 end);

  AddressSpace& space_;
  u64 first_;
  u64 committed_ = 0;
  std::map<u64, u64> reservations_;  // base -> size
};

}  // namespace wperf::sim
