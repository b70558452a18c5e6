// SPDX-License-Identifier: BSD-3-Clause
// Blocks of memory of this host that simulated programs use: zeroed memory, or a file. Views of one section share a
// block. A block is unmapped with its last owner.
#pragma once
#include <cstddef>
#include <memory>

#include "base/ints.h"

namespace wperf::os {
class MappingWatch;
}

namespace wperf::sim::nt {

class HostMemory {
 public:
  // Both return null if memory is short. `size` is a multiple of the page size.
  static std::shared_ptr<HostMemory> make(u64 size);
  // The first `size` bytes of an open file. If `writes`, changes are written to the file; otherwise they stay in the
  // block. The block and the file always have the same bytes, even while others write to the file.
  static std::shared_ptr<HostMemory> of_file(int descriptor, u64 size, bool writes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  std::byte* data() const { return data_; }
  u64 size() const { return size_; }
  void clear(u64 offset, u64 size);

 private:
  HostMemory(std::byte* data, u64 size) : data_(data), size_(size) {}
  std::byte* data_;
  u64 size_;
  os::MappingWatch* watch_ = nullptr;  // for a file
};

}  // namespace wperf::sim::nt
