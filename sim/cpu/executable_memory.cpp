// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace wperf::sim {

ExecutableMemory::ExecutableMemory(usize bytes) : bytes_(bytes) {
  const int file = memfd_create("wperf translated code", MFD_CLOEXEC);
  if (file < 0) return;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    void* const written = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void* const executed = mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (written != MAP_FAILED && executed != MAP_FAILED) {
      written_ = static_cast<u8*>(written);
      executed_ = static_cast<const u8*>(executed);
    } else {
      if (written != MAP_FAILED) munmap(written, bytes);
      if (executed != MAP_FAILED) munmap(executed, bytes);
    }
  }
  close(file);
}

ExecutableMemory::~ExecutableMemory() {
  if (!usable()) return;
  munmap(written_, bytes_);
  munmap(const_cast<u8*>(executed_), bytes_);
}

}  // namespace wperf::sim
