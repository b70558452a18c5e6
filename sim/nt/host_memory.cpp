// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/host_memory.h"

#include <sys/mman.h>

#include "ground/os/mapping_watch.h"

namespace wperf::sim::nt {

std::shared_ptr<HostMemory> HostMemory::make(u64 size) {
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  return std::shared_ptr<HostMemory>(new HostMemory(static_cast<std::byte*>(data), size));
}

std::shared_ptr<HostMemory> HostMemory::of_file(int descriptor, u64 size, bool writes) {
  const int kind = writes ? MAP_SHARED : MAP_PRIVATE;
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, descriptor, 0);
  if (data == MAP_FAILED) return nullptr;
  std::shared_ptr<HostMemory> made(new HostMemory(static_cast<std::byte*>(data), size));
  made->watch_ = os::MappingWatch::start({made->data_, size}, true);
  return made;
}

HostMemory::~HostMemory() {
  if (watch_ != nullptr) watch_->stop();
  munmap(data_, size_);
}

void HostMemory::clear(u64 offset, u64 size) {
  madvise(data_ + offset, size, MADV_DONTNEED);
}

}  // namespace wperf::sim::nt
