// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/line_table.h"

#include <algorithm>

namespace wperf::python {
namespace {

constexpr u8 kNoLine = 15, kLong = 14, kNoColumns = 13, kFirstOneLine = 10;
constexpr u32 kUnitBytes = 2;

// Each byte has 6 bits of the number, the lowest first; another bit says that a further byte follows.
u64 take_number(bytes::Reader& reader) {
  u64 value = 0;
  for (int shift = 0; shift < 36; shift += 6) {
    const u8 byte = reader.take<u8>();
    value |= u64{byte & 0x3fu} << shift;
    if ((byte & 0x40) == 0) return value;
  }
  reader.fail();
  return 0;
}

// The lowest bit is the sign.
std::int64_t take_signed(bytes::Reader& reader) {
  const u64 value = take_number(reader);
  const auto size = static_cast<std::int64_t>(value >> 1);
  return (value & 1) != 0 ? -size : size;
}

// Skips the columns; returns the change of the line.
std::int64_t take_change(bytes::Reader& reader, u8 kind) {
  switch (kind) {
    case kNoLine:
      return 0;
    case kLong: {
      const std::int64_t change = take_signed(reader);
      for (int i = 0; i < 3; ++i) take_number(reader);
      return change;
    }
    case kNoColumns:
      return take_signed(reader);
    default:
      reader.skip(kind >= kFirstOneLine ? 2 : 1);
      return kind >= kFirstOneLine ? kind - kFirstOneLine : 0;
  }
}

}  // namespace

LineTable::LineTable(bytes::Span table, u32 first_line) : first_line_(first_line) {
  bytes::Reader reader(table);
  std::int64_t line = first_line;
  while (reader.left() != 0) {
    const u8 head = reader.take<u8>();
    const u8 kind = head >> 3 & 15;
    line += take_change(reader, kind);
    if (!reader.sound() || (head & 0x80) == 0 || line < 0 || line > 0x7fffffff) return;
    const auto number = static_cast<u32>(line);
    if (kind != kNoLine && (rows_.empty() || rows_.back().line != number)) rows_.push_back({size_, number});
    size_ += ((head & 7u) + 1) * kUnitBytes;
  }
}

u32 LineTable::line_at(std::int64_t offset) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), offset, [](std::int64_t wanted, const Row& row) {
    return wanted < std::int64_t{row.begin};
  });
  return after == rows_.begin() ? first_line_ : std::prev(after)->line;
}

}  // namespace wperf::python
