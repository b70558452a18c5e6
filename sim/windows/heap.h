// SPDX-License-Identifier: BSD-3-Clause
// One Windows heap of a simulated process. Its bookkeeping lives on the host, so a program that overwrites its own
// heap damages only itself. Blocks are 16-byte aligned, first fit in address order, neighbours joined on free.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "base/ints.h"
#include "sim/windows/virtual_memory.h"

namespace wperf::sim {

class Heap {
 public:
  u64 allocate(VirtualMemory& memory, u64 size);  // 0 = no memory
  static bool comes_zeroed(u64 size);             // a block of that size is always fresh memory, and so zeroed
  [[nodiscard]] bool free(VirtualMemory& memory, u64 address);
  std::optional<u64> size_of(u64 address) const;  // the size that was requested
  void destroy(VirtualMemory& memory);

 private:
  struct Block {
    u64 asked = 0;
    u64 held = 0;  // bytes taken from the free list; 0 for a separate allocation
  };
  std::unordered_map<u64, Block> blocks_;
  std::map<u64, u64> free_;                // address -> size
  std::unordered_map<u64, u64> segments_;  // reservations of this heap
};

}  // namespace wperf::sim
