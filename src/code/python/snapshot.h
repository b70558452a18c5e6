// SPDX-License-Identifier: BSD-3-Clause
// The fast-changing part of a thread's Python state, copied within some microseconds of a sample, and read at leisure
// afterwards: the thread goes on meanwhile. Frames of calls that have returned are among the copy, because the
// interpreter leaves them in place.
#pragma once
#include <vector>

#include "code/python/layout.h"
#include "code/python/process_memory.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

class Snapshot {
 public:
  // False if it cannot be read, or if the state belongs to another thread now. `native_id`: as the state has it.
  bool take(ProcessMemory& memory, const Layout& layout, u64 thread_state, u32 native_id);

  u64 current_frame() const { return current_frame_; }  // the innermost; 0: no Python code runs
  bool holds(u64 address) const { return address - begin_ < size_; }
  // True if all bytes are in the copy.
  bool copy(u64 address, std::span<std::byte> to) const;

 private:
  void copy_chunk(ProcessMemory& memory, u64 top);

  std::vector<std::byte> state_, bytes_;
  u64 begin_ = 0;
  usize size_ = 0;  // of the copy; bytes_ only grows
  u64 current_frame_ = 0;
};

// A part of the thread's stack in C, copied with the sample. Since 3.12 the frames of C are there.
struct CopiedStack {
  u64 begin = 0;
  bytes::Span bytes = {};
};

// Memory as it was copied, and the process's own where there is no copy.
class SnapshotMemory final : public ProcessMemory {
 public:
  SnapshotMemory(const Snapshot& snapshot, ProcessMemory& live, CopiedStack stack = {})
      : snapshot_(snapshot), live_(live), stack_(stack) {}
  usize read(std::span<const MemoryPiece> pieces) override;

 private:
  bool copy(const MemoryPiece& piece) const;
  bool holds(u64 address) const { return snapshot_.holds(address) || address - stack_.begin < stack_.bytes.size(); }

  const Snapshot& snapshot_;
  ProcessMemory& live_;
  CopiedStack stack_;
};

}  // namespace wperf::python
