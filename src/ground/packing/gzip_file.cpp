// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/gzip_file.h"

#include <algorithm>

#include "ground/packing/checksum.h"

namespace wperf::packing {
namespace {

using bytes::Reader;

constexpr u16 kMark = 0x8b1f;
constexpr u8 kDeflate = 8;
constexpr u64 kLongestRepetition = 258;
constexpr u8 kHasHeaderSum = 2, kHasExtra = 4, kHasName = 8, kHasComment = 16;

bool begins_member(Bytes bytes) {
  Reader in(bytes);
  return in.take<u16>() == kMark && in.take<u8>() == kDeflate && in.sound();
}

void skip_text(Reader& in) {
  while (in.sound() && in.take<u8>() != 0) {
  }
}

// The header's length; 0: it is cut.
usize header_size(Bytes member) {
  Reader in(member);
  in.skip(3);
  const u8 flags = in.take<u8>();
  in.skip(6);  // time, hints of the packer, system
  if ((flags & kHasExtra) != 0) in.skip(in.take<u16>());
  if ((flags & kHasName) != 0) skip_text(in);
  if ((flags & kHasComment) != 0) skip_text(in);
  if ((flags & kHasHeaderSum) != 0) in.skip(2);
  return in.sound() ? member.size() - in.left() : 0;
}

}  // namespace

bool has_gzip_look(Bytes file) {
  return begins_member(file);
}

Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take) {
  for (Bytes rest = file; begins_member(rest);) {
    const usize header = header_size(rest);
    if (header == 0) return Unpacked::damaged;
    rest = rest.subspan(header);
    Checksum checksum;
    u64 size = 0;
    bool stopped = false;
    usize used = 0;
    const bool sound = inflate(
        rest, limit,
        [&](Bytes piece) {
          checksum.add(piece);
          size += piece.size();
          stopped = !take(piece);
          return !stopped;
        },
        &used);
    if (stopped) return Unpacked::stopped;
    // A repetition that would pass the limit is not begun.
    if (!sound) return limit - size < kLongestRepetition ? Unpacked::too_large : Unpacked::damaged;
    limit -= std::min(limit, size);
    Reader end(rest.subspan(used));
    const u32 told_sum = end.take<u32>(), told_size = end.take<u32>();
    if (!end.sound()) return Unpacked::damaged;
    if (told_sum != checksum.value() || told_size != static_cast<u32>(size)) return Unpacked::not_sound;
    rest = rest.last(end.left());
  }
  return Unpacked::all;
}

}  // namespace wperf::packing
