// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "ground/os/own_memory.h"

namespace wperf::os {
namespace {

constexpr size_t kStep = 4096;  // a pipe takes at least this much at once

}  // namespace

// write() makes the kernel read the memory, and fails with EFAULT where a load would crash. Unlike process_vm_readv(),
// that needs no right that a container may lack.
bool copy_own_memory(const void* from, std::span<std::byte> to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const auto* source = static_cast<const std::byte*>(from);
  bool whole = true;
  for (size_t done = 0; whole && done < to.size();) {
    const size_t step = std::min(kStep, to.size() - done);
    const auto size = static_cast<ssize_t>(step);
    whole = write(ends[1], source + done, step) == size && read(ends[0], to.data() + done, step) == size;
    done += step;
  }
  close(ends[0]);
  close(ends[1]);
  return whole;
}

}  // namespace wperf::os
