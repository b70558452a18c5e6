// SPDX-License-Identifier: BSD-3-Clause
// The memory of another process, read while that process runs: the bytes may change between two of them. Nothing stops
// or changes the other process. The system allows it for processes of the same user, or to an administrator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::os {

// Bytes to read: from that address of the other process, as many as `to` has.
struct MemoryPiece {
  u64 address = 0;
  std::span<std::byte> to;
};

class OtherMemory {
 public:
  explicit OtherMemory(u32 process);
  // NOLINTNEXTLINE(performance-trivially-destructible): on Windows it closes a handle
  ~OtherMemory();
  OtherMemory(const OtherMemory&) = delete;
  OtherMemory& operator=(const OtherMemory&) = delete;

  // Reads the pieces in their order, with few system calls, up to the first that cannot be read whole. Returns how many
  // were read; the contents of the others are unspecified.
  usize read(std::span<const MemoryPiece> pieces) const;

 private:
  std::intptr_t process_ = 0;  // its number; on Windows a handle, null if the process cannot be opened
};

// The number by which the thread knows itself: in a container it differs from the system's. The system's number if the
// thread is gone, and on Windows.
u32 own_thread_number(u32 process, u32 thread);
// From a text with the form of /proc/PID/status; nullopt if that does not say it.
std::optional<u32> parse_own_thread_number(std::string_view status);

// A part of a file in the address space of a process.
struct FileMapping {
  u64 begin = 0, end = 0;
  u64 file_offset = 0;  // of the byte at `begin`
  std::string path;     // as the process sees it
};

// By address, without mappings of no file. Empty if the process is gone, or may not be seen, and on Windows.
std::vector<FileMapping> file_mappings(u32 process);
// Those in a text with the form of /proc/PID/maps. Lines of another form are left out.
std::vector<FileMapping> parse_file_mappings(std::string_view maps);

}  // namespace wperf::os
