// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/snapshot.h"

#include <algorithm>
#include <cstring>

#include "code/python/buffers.h"

namespace wperf::python {
namespace {

// After the top of the stack are the frames of calls that have returned.
constexpr u64 kAfterTop = 4096, kMostCopied = u64{1} << 16;

}  // namespace

bool Snapshot::take(ProcessMemory& memory, const Layout& layout, u64 thread_state, u32 native_id) {
  const auto& thread = layout.thread;
  size_ = 0;
  current_frame_ = 0;
  state_.resize(std::max({thread.frame, thread.data_stack + 8, thread.native_id}) + sizeof(u64));
  if (!memory.read_bytes(thread_state, state_)) return false;
  if (static_cast<u32>(at_or_zero<u64>(state_, thread.native_id)) != native_id) return false;
  current_frame_ = at_or_zero<u64>(state_, thread.frame);
  begin_ = at_or_zero<u64>(state_, thread.data_stack);
  const u64 top = at_or_zero<u64>(state_, thread.data_stack + 8);
  if (layout.c_frame != Layout::kNone && current_frame_ != 0 &&
      !memory.read_number(current_frame_ + layout.c_frame, current_frame_))
    return false;
  copy_chunk(memory, top);
  return true;
}

// A thread that has not called anything yet has no chunk. Without a copy, frames are read one by one.
void Snapshot::copy_chunk(ProcessMemory& memory, u64 top) {
  const u64 used = top - begin_;
  if (begin_ == 0 || used < sizeof(DataChunk) || used > kMostCopied) return;
  // A chunk begins at a page and ends at one.
  constexpr u64 kPage = 4096;
  for (const u64 wanted : {std::max((used + kAfterTop) & ~(kPage - 1), used), used}) {
    size_ = static_cast<usize>(wanted);
    if (memory.read_bytes(begin_, room_in(bytes_, size_))) return;
  }
  size_ = 0;
}

bool Snapshot::copy(u64 address, std::span<std::byte> to) const {
  const u64 offset = address - begin_;
  if (offset >= size_ || size_ - offset < to.size()) return false;
  std::memcpy(to.data(), bytes_.data() + offset, to.size());
  return true;
}

bool SnapshotMemory::copy(const MemoryPiece& piece) const {
  if (snapshot_.copy(piece.address, piece.to)) return true;
  const u64 offset = piece.address - stack_.begin;
  if (offset >= stack_.bytes.size() || stack_.bytes.size() - offset < piece.to.size()) return false;
  std::memcpy(piece.to.data(), stack_.bytes.data() + offset, piece.to.size());
  return true;
}

usize SnapshotMemory::read(std::span<const MemoryPiece> pieces) {
  for (usize i = 0; i < pieces.size(); ++i) {
    if (copy(pieces[i])) continue;
    usize end = i + 1;  // those that are not in the copy are read at once
    while (end < pieces.size() && !holds(pieces[end].address)) ++end;
    const usize read = live_.read(pieces.subspan(i, end - i));
    if (read != end - i) return i + read;
    i = end - 1;
  }
  return pieces.size();
}

}  // namespace wperf::python
