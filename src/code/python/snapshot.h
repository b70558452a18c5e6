// SPDX-License-Identifier: BSD-3-Clause
// The fast-changing part of a thread's Python state, copied within microseconds of a sample.
#pragma once
#include <vector>

#include "code/python/layout.h"
#include "code/python/process_memory.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

class Snapshot {
 public:
  // Returns false if the state cannot be read, or if it belongs to another thread now. `native_id`: the thread's number
  // in the state. If the thread's data stack has not moved since the last time, one system call is enough.
  bool take(ProcessMemory& memory, const Layout& layout, u64 thread_state, u32 native_id);

  u64 current_frame() const { return current_frame_; }  // the innermost frame; 0: no Python code runs
  // Does the thread run Python code of this interpreter now? Returns false while it waits, or works without the
  // interpreter lock. Always false in 3.11.
  bool is_active() const { return is_active_; }
  bool holds(u64 address) const;
  // Returns true if all bytes are in the copy.
  bool copy(u64 address, std::span<std::byte> to) const;
  // Adds the next older chunk of the data stack to the copy if the address may be in it. Returns false if nothing was
  // added.
  bool copy_older(ProcessMemory& memory, u64 address);

 private:
  // A copy of an older chunk. Its buffer is kept for the next snapshot, because the chunk usually stays where it is.
  struct Older {
    u64 begin = 0;
    usize size = 0;  // size of the part in use; `bytes` never shrinks
    std::vector<std::byte> bytes;
  };
  void copy_chunk(ProcessMemory& memory, u64 used, usize copied);
  static bool read_older(ProcessMemory& memory, u64 begin, Older& chunk);

  std::vector<std::byte> state_, bytes_;
  u64 begin_ = 0;
  usize size_ = 0;            // size of the copy; bytes_ never shrinks
  std::vector<Older> older_;  // newest first
  usize copied_older_ = 0;    // how many of older_ belong to this snapshot
  usize left_ = 0;            // how many bytes of older chunks may still be copied
  u64 current_frame_ = 0;
  bool is_active_ = false;
  u64 frame_place_ = 0, frame_of_c_ = 0;  // 3.11 and 3.12: the current frame is in a structure on the C stack
};

// Reads from the copy, and from the process where there is no copy. Older chunks are copied when they are needed.
class SnapshotMemory final : public ProcessMemory {
 public:
  SnapshotMemory(Snapshot& snapshot, ProcessMemory& live) : snapshot_(snapshot), live_(live) {}
  usize read(std::span<const MemoryPiece> pieces) override;

 private:
  Snapshot& snapshot_;
  ProcessMemory& live_;
};

}  // namespace wperf::python
