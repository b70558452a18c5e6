// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/objects.h"

#include <algorithm>
#include <array>

#include "ground/bytes/bytes.h"
#include "ground/text/unicode.h"

namespace wperf::python {
namespace {

struct TextHead {
  u64 type = 0, length = 0;
  u32 state = 0;
};

bool read_head(ProcessMemory& memory, const Layout& layout, u64 address, TextHead& out) {
  const std::array pieces = {MemoryPiece{address + layout.object.type, bytes_of(out.type)},
                             MemoryPiece{address + layout.text.length, bytes_of(out.length)},
                             MemoryPiece{address + layout.text.state, bytes_of(out.state)}};
  return memory.read(pieces) == pieces.size();
}

u32 character_at(bytes::Span characters, u64 index, u32 width) {
  u8 narrow = 0;
  u16 wide = 0;
  u32 widest = 0;
  switch (width) {
    case 1:
      static_cast<void>(bytes::read_at(characters, index, narrow));
      return narrow;
    case 2:
      static_cast<void>(bytes::read_at(characters, index * 2, wide));
      return wide;
    default:
      static_cast<void>(bytes::read_at(characters, index * 4, widest));
      return widest;
  }
}

}  // namespace

std::optional<TextObject> read_text(ProcessMemory& memory, const Layout& layout, u64 address) {
  TextHead head;
  if (address == 0 || !read_head(memory, layout, address, head)) return std::nullopt;
  const u32 state = head.state >> layout.text.kind_shift;
  const u32 width = state & 7;
  const bool is_one_piece = (state & 8) != 0, is_ascii = (state & 16) != 0;
  if (!is_one_piece || (width != 1 && width != 2 && width != 4) || (is_ascii && width != 1)) return std::nullopt;
  const u64 count = std::min(head.length, kMostCharacters);
  std::vector<std::byte> characters(static_cast<usize>(count * width));
  if (!memory.read_bytes(address + (is_ascii ? layout.text.ascii : layout.text.compact), characters)) {
    return std::nullopt;
  }
  TextObject out{.text = {}, .type = head.type};
  out.text.reserve(characters.size());
  for (u64 i = 0; i < count; ++i) text::append_utf8(out.text, character_at(characters, i, width));
  if (count < head.length) out.text += "…";
  return out;
}

std::optional<std::vector<std::byte>> read_byte_object(ProcessMemory& memory, const Layout& layout, u64 address) {
  u64 size = 0;
  if (address == 0 || !memory.read_number(address + layout.bytes.size, size) || size > kMostBytes) return std::nullopt;
  std::vector<std::byte> out(static_cast<usize>(size));
  if (!memory.read_bytes(address + layout.bytes.contents, out)) return std::nullopt;
  return out;
}

}  // namespace wperf::python
