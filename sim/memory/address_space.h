// SPDX-License-Identifier: BSD-3-Clause
// The memory of one simulated process: guest ranges backed by host memory, page-granular, shared by every core that
// runs a thread of the process.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

inline constexpr u64 kPageSize = 4096;
constexpr u64 page_down(u64 value) {
  return value & ~(kPageSize - 1);
}
constexpr u64 page_up(u64 value) {
  return page_down(value + kPageSize - 1);
}

enum Permission : u32 { kRead = 1, kWrite = 2, kExecute = 4 };

struct Region {
  u64 base = 0;
  u64 size = 0;  // multiple of kPageSize
  u32 permissions = 0;
  std::byte* host = nullptr;
  bool lent = false;  // `host` belongs to the caller of lend(); otherwise to the AddressSpace
};

// A range that was mapped, protected or unmapped, or that was executable and was written from outside.
struct MemoryChange {
  u64 base = 0;
  u64 size = 0;
  bool code = false;  // translated and decoded copies of its code are stale
};

class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // Zeroed. Returns false if the range is not page-aligned, overlaps another, or memory is short.
  bool map(u64 base, u64 size, u32 permissions);
  bool protect(u64 base, u64 size, u32 permissions);  // exactly one whole region
  bool unmap(u64 base);                               // the region that starts there

  // Maps memory of the caller, who keeps it until it is taken back. Neighbours with the same permissions whose memory
  // is adjacent become one region.
  bool lend(u64 base, u64 size, u32 permissions, std::byte* host);
  // For any range: the lent pages in it get these permissions. Regions are split where necessary.
  void protect_lent(u64 base, u64 size, u32 permissions);
  void take_back(u64 base, u64 size);  // for any range: its lent pages are no longer mapped

  // Host view of [address, address+size) if it lies inside one region; empty otherwise. Ignores permissions.
  std::span<std::byte> view(u64 address, u64 size);
  bool read(u64 address, void* out, u64 size);
  bool write(u64 address, const void* in, u64 size);

  // To be called when the program wrote code through another mapping: engines forget their copies of this range.
  void code_written(u64 base, u64 size);
  // Code in writable memory: engines report its pages before they execute them, and stores that may change them. A
  // change is noted for the first store after an execution; stored() then returns true. rarely_changes() is false for a
  // page whose code changed so often that a copy does not pay off.
  void executed(u64 address);
  bool may_be_code(u64 address, u64 size) const {
    return address + size - 1 - writable_code_ < writable_code_size_ || address - writable_code_ < writable_code_size_;
  }
  bool stored(u64 address, u64 size);
  bool rarely_changes(u64 address) const;

  const std::vector<Region>& regions() const;
  const Region* region_of(u64 address) const;  // null if nothing is mapped there
  // Grows with each change, so that engines know when to refresh their copies.
  u64 generation() const;
  // The changes after this generation, the oldest first. Returns nullopt if there were too many: then anything may have
  // changed.
  std::optional<std::span<const MemoryChange>> changes_since(u64 generation) const;
  u32 id() const;  // distinguishes processes in the cache models (address space identifier)

 private:
  struct State;
  u64 writable_code_ = 0, writable_code_size_ = 0;  // contains all pages of executed()
  std::unique_ptr<State> state_;
};

}  // namespace wperf::sim
