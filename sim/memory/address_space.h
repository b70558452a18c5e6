// SPDX-License-Identifier: BSD-3-Clause
// The memory of one simulated process: guest ranges backed by host memory, page-granular, shared by every core that
// runs a thread of the process.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

inline constexpr u64 kPageSize = 4096;
constexpr u64 page_up(u64 value) {
  return (value + kPageSize - 1) & ~(kPageSize - 1);
}

enum Permission : u32 { kRead = 1, kWrite = 2, kExecute = 4 };

struct Region {
  u64 base = 0;
  u64 size = 0;  // multiple of kPageSize
  u32 permissions = 0;
  std::byte* host = nullptr;
  bool lent = false;  // `host` belongs to the caller of lend(); otherwise to the AddressSpace
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

  const std::vector<Region>& regions() const;
  u64 generation() const;  // grows with every map, protect and unmap, so that engines know when to refresh their
                           // mapping
  // Grows when executable memory changes: an executable region is added, removed, or written with write().
  u64 code_generation() const;
  u32 id() const;  // distinguishes processes in the cache models (address space identifier)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::sim
