// SPDX-License-Identifier: BSD-3-Clause
// Reads the memory of another process while that process runs, so the bytes may change between two reads. The other
// process is neither stopped nor changed. The system allows this for processes of the same user, and to administrators.
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

// Bytes to read from the other process: as many as fit into `to`.
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

  // Reads the pieces in their order, with few system calls, up to the first piece that cannot be read completely.
  // Returns how many were read; the contents of all other pieces are unspecified.
  usize read(std::span<const MemoryPiece> pieces) const;

 private:
  std::intptr_t process_ = 0;  // its number; on Windows a handle, null if the process cannot be opened
};

// The thread's number inside its container, which may differ from the system's number. Returns the system's number if
// the thread is gone, and on Windows.
u32 own_thread_number(u32 process, u32 thread);
// Parses a text like /proc/PID/status; nullopt if it has no thread number.
std::optional<u32> parse_own_thread_number(std::string_view status);

// The process's parent, if both run the same program file; otherwise 0. Always 0 on Windows.
u32 parent_with_same_program(u32 process);
// Parses a text like /proc/PID/stat; nullopt if it has no parent.
std::optional<u32> parse_parent(std::string_view stat);

// Does the process have another root folder than this process, as in a container? False if it may not be read, and on
// Windows.
bool has_other_root(u32 process);
// Does the process see another file at this path than this process sees? Also true if one of the two files does not
// exist.
bool is_other_file(u32 process, const std::string& path);

// A part of a file in the address space of a process.
struct FileMapping {
  u64 begin = 0, end = 0;
  u64 file_offset = 0;  // offset in the file of the byte at `begin`
  std::string path;     // as the process sees it
};

// The file mappings, ordered by address. Empty if the process is gone or may not be read, and on Windows.
std::vector<FileMapping> file_mappings(u32 process);
// Parses a text like /proc/PID/maps. Lines of another form are skipped.
std::vector<FileMapping> parse_file_mappings(std::string_view maps);

}  // namespace wperf::os
