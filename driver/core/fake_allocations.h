// SPDX-License-Identifier: BSD-3-Clause
// The memory that a driver has allocated from fake_hal.h. Each allocation has exactly the requested number of bytes, so
// that a sanitizer sees an overrun.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/ints.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {

class FakeAllocations {
 public:
  bool empty() const { return sizes_.empty(); }
  usize size() const { return sizes_.size(); }
  // 0 if the memory was not allocated.
  usize size_of(void* memory) const {
    const auto found = sizes_.find(memory);
    return found == sizes_.end() ? 0 : found->second;
  }

  // The memory is zeroed, and page-aligned from one page on. Returns null if memory is short.
  void* add(usize size) {
    const usize alignment = size >= kSpePage ? usize{kSpePage} : alignof(std::max_align_t);
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, size) != 0) {
      return nullptr;
    }
    std::memset(memory, 0, size);
    sizes_[memory] = size;
    now += size;
    peak = now > peak ? now : peak;
    return memory;
  }
  void release(void* memory) {
    now -= size_of(memory);
    if (sizes_.erase(memory) != 0) {
      std::free(memory);
    }
  }

  usize now = 0, peak = 0;  // bytes

 private:
  std::map<void*, usize> sizes_;
};

}  // namespace wperf::driver
