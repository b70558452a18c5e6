// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/snapshot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "code/python/buffers.h"

namespace wperf::python {
namespace {

constexpr u64 kMostCopied = u64{1} << 16;       // of one chunk
constexpr usize kMostOfOlder = usize{1} << 19;  // of all older chunks together
constexpr usize kMostOlder = 32;
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
  copied_older_ = 0;
  left_ = kMostOfOlder;
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

bool Snapshot::holds(u64 address) const {
  if (address - begin_ < size_) return true;
  const auto older = std::span(older_).first(copied_older_);
  return std::ranges::any_of(older, [address](const Older& one) { return address - one.begin < one.size; });
}

bool Snapshot::copy(u64 address, std::span<std::byte> to) const {
  const auto copy_from = [&](u64 begin, std::span<const std::byte> bytes) {
    const u64 offset = address - begin;
    if (offset >= bytes.size() || bytes.size() - offset < to.size()) return false;
    std::memcpy(to.data(), bytes.data() + offset, to.size());
    return true;
  };
  if (copy_from(begin_, std::span(bytes_).first(size_))) return true;
  // A walk is usually in the chunk that was copied last.
  for (usize i = copied_older_; i-- > 0;) {
    if (copy_from(older_[i].begin, std::span(older_[i].bytes).first(older_[i].size))) return true;
  }
  return false;
}

bool Snapshot::copy_older(ProcessMemory& memory, u64 address) {
  if (left_ == 0 || size_ == 0 || copied_older_ == kMostOlder) return false;
  const std::vector<std::byte>& newer = copied_older_ == 0 ? bytes_ : older_[copied_older_ - 1].bytes;
  const u64 begin = at_or_zero<u64>(newer, offsetof(DataChunk, previous));
  if (begin == 0 || address - begin >= kMostCopied) return false;
  if (older_.size() == copied_older_) older_.emplace_back();
  Older& chunk = older_[copied_older_];
  if (!read_older(memory, begin, chunk) || chunk.size > left_) {
    left_ = 0;
    return false;
  }
  left_ -= chunk.size;
  ++copied_older_;
  return true;
}

// One call is enough if the chunk still has the same place and size as last time.
bool Snapshot::read_older(ProcessMemory& memory, u64 begin, Older& chunk) {
  const usize known = std::exchange(chunk.begin, begin) == begin ? chunk.size : 0;
  const auto used_at = [](bytes::Span header) {
    const u64 words = at_or_zero<u64>(header, offsetof(DataChunk, top));
    constexpr u64 kMostWords = (kMostCopied - sizeof(DataChunk)) / sizeof(u64);
    return words > kMostWords ? 0 : static_cast<usize>(sizeof(DataChunk) + words * sizeof(u64));
  };
  if (known != 0 && memory.read_bytes(begin, room_in(chunk.bytes, known)) && used_at(chunk.bytes) == known) return true;
  std::array<std::byte, sizeof(DataChunk)> header;
  chunk.size = memory.read_bytes(begin, header) ? used_at(header) : 0;
  return chunk.size != 0 && memory.read_bytes(begin, room_in(chunk.bytes, chunk.size));
}

usize SnapshotMemory::read(std::span<const MemoryPiece> pieces) {
  for (usize i = 0; i < pieces.size(); ++i) {
    const u64 address = pieces[i].address;
    if (snapshot_.copy(address, pieces[i].to)) continue;
    if (snapshot_.copy_older(live_, address) && snapshot_.copy(address, pieces[i].to)) continue;
    usize end = i + 1;  // reads all frames that are not in the copy at once
    while (end < pieces.size() && !snapshot_.holds(pieces[end].address)) ++end;
    const usize read = live_.read(pieces.subspan(i, end - i));
    if (read != end - i) return i + read;
    i = end - 1;
  }
  return pieces.size();
}

}  // namespace wperf::python
