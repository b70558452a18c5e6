// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "code/python/buffers.h"

namespace wperf::python {
namespace {

constexpr u64 kMostCopied = u64{1} << 16;
constexpr u32 kActive = 1 << 4;  // position in the status, after initialized, bound, unbound and bound_gilstate

// A chunk begins and ends at page boundaries. 0: it is not copied.
usize size_of_copy(u64 used) {
  constexpr u64 kPage = 4096;
  if (used < sizeof(DataChunk) || used > kMostCopied) return 0;
  return static_cast<usize>((used + kPage - 1) & ~(kPage - 1));
}

}  // namespace

bool Snapshot::take(ProcessMemory& memory, const Layout& layout, u64 thread_state, u32 native_id) {
  const auto& thread = layout.thread;
  const bool has_frame_of_c = layout.c_frame != Layout::kNone;
  const bool has_status = thread.status != Layout::kNone;
  state_.resize(std::max({thread.frame, thread.data_stack + 8, thread.native_id, has_status ? thread.status : 0}) +
                sizeof(u64));
  const usize expected = std::exchange(size_, 0);
  current_frame_ = 0;
  const MemoryPiece pieces[] = {
      {thread_state, state_}, {begin_, room_in(bytes_, expected)}, {frame_place_, bytes_of(frame_of_c_)}};
  const usize read = memory.read(std::span(pieces).first(expected == 0 ? 1 : has_frame_of_c ? 3 : 2));
  if (read == 0 || static_cast<u32>(at_or_zero<u64>(state_, thread.native_id)) != native_id) return false;
  is_active_ = has_status && (at_or_zero<u32>(state_, thread.status) & kActive) != 0;
  current_frame_ = at_or_zero<u64>(state_, thread.frame);
  if (has_frame_of_c && current_frame_ != 0) {
    const u64 place = current_frame_ + layout.c_frame;
    const bool is_read = place == frame_place_ && read == 3;
    frame_place_ = place;
    if (!is_read && !memory.read_number(place, frame_of_c_)) {
      current_frame_ = 0;
      return false;
    }
    current_frame_ = frame_of_c_;
  }
  const u64 begin = at_or_zero<u64>(state_, thread.data_stack);
  const bool is_expected = begin == begin_ && read >= 2;
  begin_ = begin;
  copy_chunk(memory, at_or_zero<u64>(state_, thread.data_stack + 8) - begin, is_expected ? expected : 0);
  return true;
}

// `copied`: the number of bytes that are already copied. A thread that has not called anything yet has no chunk.
// Without a copy, frames are read one by one.
void Snapshot::copy_chunk(ProcessMemory& memory, u64 used, usize copied) {
  if (begin_ == 0) return;
  const usize wanted = size_of_copy(used);
  for (const usize size : {wanted, std::min(wanted, static_cast<usize>(used))}) {
    size_ = size;
    if (size <= copied || memory.read_bytes(begin_, room_in(bytes_, size))) return;
  }
  size_ = 0;
}

bool Snapshot::copy(u64 address, std::span<std::byte> to) const {
  const u64 offset = address - begin_;
  if (offset >= size_ || size_ - offset < to.size()) return false;
  std::memcpy(to.data(), bytes_.data() + offset, to.size());
  return true;
}

usize SnapshotMemory::read(std::span<const MemoryPiece> pieces) {
  for (usize i = 0; i < pieces.size(); ++i) {
    if (snapshot_.copy(pieces[i].address, pieces[i].to)) continue;
    usize end = i + 1;  // reads all frames that are not in the copy at once
    while (end < pieces.size() && !snapshot_.holds(pieces[end].address)) ++end;
    const usize read = live_.read(pieces.subspan(i, end - i));
    if (read != end - i) return i + read;
    i = end - 1;
  }
  return pieces.size();
}

}  // namespace wperf::python
