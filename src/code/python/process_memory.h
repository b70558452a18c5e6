// SPDX-License-Identifier: BSD-3-Clause
// The memory of a Python interpreter: a running process, or an image in a test. Its contents may be inconsistent,
// because the process keeps running, or hostile.
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include "base/ints.h"
#include "ground/os/other_memory.h"

namespace wperf::python {

using os::MemoryPiece;

template <typename T>
std::span<std::byte> bytes_of(T& number) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_writable_bytes(std::span(&number, 1));
}

class ProcessMemory {
 public:
  virtual ~ProcessMemory() = default;
  // Reads the pieces in order, up to the first piece that cannot be read completely. Returns how many were read; the
  // contents of all other pieces are unspecified.
  virtual usize read(std::span<const MemoryPiece> pieces) = 0;

  bool read_bytes(u64 address, std::span<std::byte> to) {
    const MemoryPiece piece{address, to};
    return to.empty() || read({&piece, 1}) == 1;
  }
  template <typename T>
  [[nodiscard]] bool read_number(u64 address, T& out) {
    return read_bytes(address, bytes_of(out));
  }
};

// The memory of a process on this machine.
class RunningMemory final : public ProcessMemory {
 public:
  explicit RunningMemory(u32 process) : memory_(process) {}
  usize read(std::span<const MemoryPiece> pieces) override { return memory_.read(pieces); }

 private:
  os::OtherMemory memory_;
};

}  // namespace wperf::python
