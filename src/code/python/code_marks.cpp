// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/code_marks.h"

#include <algorithm>
#include <numeric>

#include "code/python/buffers.h"

namespace wperf::python {

void CodeMarks::clear() {
  code_.clear();
  code_of_frame_.clear();
}

// Recursive functions, for example, repeat the last few code objects.
void CodeMarks::add(u64 code) {
  constexpr usize kRecent = 8;
  usize i = code_.size();
  const usize oldest = i > kRecent ? i - kRecent : 0;
  while (i > oldest && code_[i - 1] != code) --i;
  if (i == oldest) {
    code_.push_back(code);
    i = code_.size();
  }
  code_of_frame_.push_back(static_cast<u32>(i - 1));
}

// Neighbouring code objects are read as one piece, because a piece costs more than some thousand bytes. The gap between
// them contains no whole page, so the piece can be read if both objects can be read.
void CodeMarks::add_pieces(std::vector<MemoryPiece>& pieces) {
  constexpr u64 kNear = 4000, kMostPiece = 1 << 14;
  const usize count = code_.size(), size = part_.end - part_.begin;
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, {}, [&](u32 i) { return code_[i]; });
  places_.assign(count, {});
  const std::span<std::byte> room = room_in(bytes_, count * (size + kNear));
  usize used = 0, piece_begin = 0;
  u64 begin = 0, end = 0;
  for (const u32 i : order_) {
    const u64 address = code_[i] + part_.begin;
    if (code_[i] == 0 || address < part_.begin || address > ~u64{0} - size) continue;
    if (end == 0 || address - begin > kMostPiece || (address > end && address - end > kNear)) {
      begin = end = address;
      piece_begin = used;
      pieces.push_back({address, {}});
    }
    end = std::max(end, address + size);
    used = piece_begin + static_cast<usize>(end - begin);
    pieces.back().to = room.subspan(piece_begin, used - piece_begin);
    places_[i] = {pieces.size(), piece_begin + static_cast<usize>(address - begin)};
  }
}

u64 CodeMarks::mark_of_frame(usize frame, std::span<const u8> is_read) const {
  const Place& place = places_[code_of_frame_[frame]];
  if (place.piece == 0 || is_read[place.piece - 1] == 0) return 0;
  return mark_of(marked_fields(layout_, bytes::Span(bytes_).subspan(place.offset, part_.end - part_.begin)));
}

}  // namespace wperf::python
