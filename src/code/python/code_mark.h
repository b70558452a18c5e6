// SPDX-License-Identifier: BSD-3-Clause
// The mark of a code object. A changed mark shows that the object's address was reused. It is a number made from four
// fields: the addresses of the file's name, of the qualified name and of the line table, and the first line. These
// never change in a code object. So if two reads at an address give the same mark, they read the same code object, or a
// later code object with the same names. Then their lines can differ only if the later line table has the address of
// the earlier one and the first lines are equal. That happens when a program compiles a function repeatedly.
#pragma once
#include <algorithm>

#include "base/ints.h"
#include "code/python/layout.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

// The part of a code object that contains these fields, as offsets.
struct MarkedPart {
  u32 begin = 0, end = 0;
};
constexpr usize kMostMarkedBytes = 0x408;  // check_layout() ensures that the fields are within this size

inline MarkedPart marked_part(const Layout& layout) {
  const auto& code = layout.code;
  const u32 first = std::min({code.first_line, code.file, code.qualified_name, code.line_table});
  const u32 last = std::max({code.first_line, code.file, code.qualified_name, code.line_table});
  return {first, last + static_cast<u32>(sizeof(u64))};
}

struct MarkedFields {
  u64 file = 0, qualified_name = 0, line_table = 0;
  u32 first_line = 0;
};

// `part`: the bytes that marked_part() describes.
inline MarkedFields marked_fields(const Layout& layout, bytes::Span part) {
  const u32 begin = marked_part(layout).begin;
  MarkedFields out;
  static_cast<void>(bytes::read_at(part, layout.code.file - begin, out.file));
  static_cast<void>(bytes::read_at(part, layout.code.qualified_name - begin, out.qualified_name));
  static_cast<void>(bytes::read_at(part, layout.code.line_table - begin, out.line_table));
  static_cast<void>(bytes::read_at(part, layout.code.first_line - begin, out.first_line));
  return out;
}

// Never 0, because 0 stands for code that could not be read.
inline u64 mark_of(const MarkedFields& fields) {
  u64 mark = 0;
  for (const u64 word : {fields.file, fields.qualified_name, fields.line_table, u64{fields.first_line}}) {
    mark = (mark ^ word) * 0x9e3779b97f4a7c15u;
    mark ^= mark >> 32;
  }
  return mark | 1;
}

}  // namespace wperf::python
