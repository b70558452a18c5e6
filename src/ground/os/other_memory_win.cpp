// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include "ground/os/other_memory.h"

namespace wperf::os {

OtherMemory::OtherMemory(u32 process)
    : process_(reinterpret_cast<std::intptr_t>(OpenProcess(PROCESS_VM_READ, FALSE, process))) {}

OtherMemory::~OtherMemory() {
  if (process_ != 0) CloseHandle(reinterpret_cast<HANDLE>(process_));
}

usize OtherMemory::read(std::span<const MemoryPiece> pieces) const {
  if (process_ == 0) return 0;
  usize done = 0;
  for (const MemoryPiece& piece : pieces) {
    SIZE_T copied = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the system takes the other process's addresses as pointers
    const auto* const from = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(piece.address));
    const BOOL whole =
        ReadProcessMemory(reinterpret_cast<HANDLE>(process_), from, piece.to.data(), piece.to.size(), &copied);
    if (whole == 0 || copied != piece.to.size()) break;
    ++done;
  }
  return done;
}

std::vector<FileMapping> file_mappings(u32) {
  return {};
}

u32 parent_with_same_program(u32) {
  return 0;
}

bool has_other_root(u32) {
  return false;
}

bool is_other_file(u32, const std::string&) {
  return false;
}

u32 own_thread_number(u32, u32 thread) {
  return thread;
}

}  // namespace wperf::os
