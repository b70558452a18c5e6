// SPDX-License-Identifier: BSD-3-Clause
// .debug_abbrev: the attributes and forms of a unit's entries, prepared so that entries can be skipped fast.
#pragma once
#include <unordered_map>
#include <vector>

#include "code/symbols/dwarf/cursor.h"

namespace wperf::symbols::dwarf {

// The widths of a unit's numbers.
struct Widths {
  u8 address = 8, offset = 4;
  u16 version = 5;
  friend bool operator==(const Widths&, const Widths&) = default;
};

struct AttributeSpec {
  u16 attribute = 0, form = 0;
  std::int64_t implicit = 0;
};

inline constexpr u32 kVariableSize = ~u32{0};

struct Abbreviation {
  u16 tag = 0;
  bool has_children = false;
  bool has_sibling = false;
  u32 fixed_size = kVariableSize;  // size of all attributes together, if it is always the same
  u32 first = 0, count = 0;        // attributes
};

class AbbreviationTable {
 public:
  AbbreviationTable() = default;
  AbbreviationTable(EndianBytes section, u64 offset, const Widths& widths);

  const Abbreviation* find(u64 code) const {
    if (code - 1 < dense_.size()) return &dense_[code - 1];
    if (sparse_.empty()) return nullptr;
    const auto found = sparse_.find(code);
    return found != sparse_.end() ? &found->second : nullptr;
  }
  u64 bytes_read() const { return bytes_read_; }
  const AttributeSpec* attributes(const Abbreviation& one) const { return attributes_.data() + one.first; }

 private:
  std::vector<Abbreviation> dense_;  // codes 1, 2, 3 …
  std::unordered_map<u64, Abbreviation> sparse_;
  std::vector<AttributeSpec> attributes_;
  u64 bytes_read_ = 0;
};

// The size of a form in bytes; kVariableSize if it depends on the data.
u32 form_size(u16 form, const Widths& widths);

}  // namespace wperf::symbols::dwarf
