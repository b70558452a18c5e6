// SPDX-License-Identifier: BSD-3-Clause
// The functions of one unit and the calls inlined into them, as a flat list by address.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "code/address.h"
#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {

inline constexpr u32 kNoScope = ~u32{0};

struct Scope {    // a function or an inlined function
  u64 entry = 0;  // position in .debug_info of the unit's file, where its name is looked up
  bool entry_is_alternate = false;
  bool is_inlined = false;
  u32 parent = kNoScope;  // the scope into which this one is inlined, or in which it is nested
  u32 call_file = 0, call_line = 0, call_discriminator = 0;
};

class ScopeTable {
 public:
  ScopeTable() = default;
  ScopeTable(const Unit& unit, DwarfDamage& damage);

  u32 find(u64 address) const;  // the innermost scope that contains the address, or kNoScope
  const Scope& operator[](u32 index) const { return scopes_[index]; }
  // The outermost function of an inlined scope; the scope itself if it is not inlined.
  u32 function_of(u32 scope) const;
  // The contiguous code of a function around an address; empty if there is no function.
  code::AddressRange function_piece(u64 address) const;
  // The code of a function (not of an inlined one); empty if it is in one piece.
  std::span<const code::AddressRange> pieces_of(u32 function) const;
  // All ranges of functions, for units without address ranges.
  std::vector<code::AddressRange> covered() const;

 private:
  struct Segment {
    u64 begin = 0;
    u32 scope = kNoScope;
  };
  std::vector<Scope> scopes_;
  std::vector<Segment> segments_;
  std::unordered_map<u32, std::vector<code::AddressRange>> pieces_;  // keyed by function, if it has several pieces
};

// Flattens nested ranges: each address gets the innermost range that contains it. Used for scopes and for units.
struct Layer {
  code::AddressRange range;
  u32 depth = 0;
  u32 owner = 0;
};
struct Stretch {
  u64 begin = 0;
  u32 owner = kNoScope;
};
std::vector<Stretch> flatten(std::vector<Layer> layers);

}  // namespace wperf::symbols::dwarf
