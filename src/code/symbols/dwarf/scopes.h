// SPDX-License-Identifier: BSD-3-Clause
// The functions of one unit and the calls inlined into them, laid out flat by address.
#pragma once
#include <vector>

#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {

inline constexpr u32 kNoScope = ~u32{0};

struct Scope {    // a function, or an inlined one
  u64 entry = 0;  // in .debug_info of the unit's file: where to look for its name
  bool entry_is_alternate = false;
  bool is_inlined = false;
  u32 parent = kNoScope;  // the scope that it was inlined into, or is nested in
  u32 call_file = 0, call_line = 0, call_discriminator = 0;
};

class ScopeTable {
 public:
  ScopeTable() = default;
  ScopeTable(const Unit& unit, DwarfDamage& damage);

  u32 find(u64 address) const;  // the innermost scope around it; kNoScope if there is none
  const Scope& operator[](u32 index) const { return scopes_[index]; }
  // The function that a scope is inlined into, itself if it is not inlined.
  u32 function_of(u32 scope) const;
  // The code of a function around an address, as far as it has no gap; empty if no function is there.
  AddressRange function_piece(u64 address) const;
  // Every range of a function, for units without address ranges.
  std::vector<AddressRange> covered() const;

 private:
  struct Segment {
    u64 begin = 0;
    u32 scope = kNoScope;
  };
  std::vector<Scope> scopes_;
  std::vector<Segment> segments_;
};

// Nested ranges → the innermost one at each address. Used for scopes and for units.
struct Layer {
  AddressRange range;
  u32 depth = 0;
  u32 owner = 0;
};
struct Stretch {
  u64 begin = 0;
  u32 owner = kNoScope;
};
std::vector<Stretch> flatten(std::vector<Layer> layers);

}  // namespace wperf::symbols::dwarf
