// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/split_package.h"

namespace wperf::symbols::dwarf {
namespace {

enum Column : u32 { kInfo = 1, kAbbrev = 3, kLine = 4, kStrOffsets = 6, kRnglists = 8 };

struct Index {
  u16 version = 0;
  u32 columns = 0, units = 0, slots = 0;
  EndianBytes bytes;

  u64 hashes() const { return 16; }
  u64 rows() const { return hashes() + u64{slots} * 8; }
  u64 ids() const { return rows() + u64{slots} * 4; }
  u64 offsets() const { return ids() + u64{columns} * 4; }
  u64 sizes() const { return offsets() + u64{units} * columns * 4; }
};

// The row of a unit, counted from 1; 0: not there.
u32 row_of(const Index& index, u64 unit_id) {
  if (index.slots == 0 || (index.slots & (index.slots - 1)) != 0) return 0;
  const u64 mask = index.slots - 1;
  const u64 step = ((unit_id >> 32) & mask) | 1;
  u64 slot = unit_id & mask;
  for (u32 tries = 0; tries < index.slots; ++tries) {
    const u32 row = index.bytes.at_or_zero<u32>(index.rows() + slot * 4);
    if (row == 0) return 0;
    if (index.bytes.at_or_zero<u64>(index.hashes() + slot * 8) == unit_id) return row <= index.units ? row : 0;
    slot = (slot + step) & mask;
  }
  return 0;
}

}  // namespace

DwarfSections sections_of_unit(const DwarfSections& package, u64 unit_id) {
  Index index;
  index.bytes = package.cu_index;
  const u32 old_version = index.bytes.at_or_zero<u32>(0);
  index.version = old_version == 2 ? u16{2} : index.bytes.at_or_zero<u16>(0);
  index.columns = index.bytes.at_or_zero<u32>(4);
  index.units = index.bytes.at_or_zero<u32>(8);
  index.slots = index.bytes.at_or_zero<u32>(12);
  constexpr u32 kMostColumns = 16;
  const bool holds = index.columns <= kMostColumns && index.bytes.holds(index.ids(), 0) &&
                     u64{index.units} * index.columns <= index.bytes.size();
  if ((index.version != 2 && index.version != 5) || !holds) return {};
  const u32 row = row_of(index, unit_id);
  if (row == 0) return {};
  DwarfSections out;
  out.str = package.str;
  for (u32 column = 0; column < index.columns; ++column) {
    const u32 id = index.bytes.at_or_zero<u32>(index.ids() + u64{column} * 4);
    const u64 place = (u64{row - 1} * index.columns + column) * 4;
    const u32 offset = index.bytes.at_or_zero<u32>(index.offsets() + place);
    const u32 size = index.bytes.at_or_zero<u32>(index.sizes() + place);
    if (id == kInfo) out.info = package.info.slice(offset, size);
    if (id == kAbbrev) out.abbrev = package.abbrev.slice(offset, size);
    if (id == kLine) out.line = package.line.slice(offset, size);
    if (id == kStrOffsets) out.str_offsets = package.str_offsets.slice(offset, size);
    if (id == kRnglists && index.version == 5) out.rnglists = package.rnglists.slice(offset, size);
  }
  return out;
}

}  // namespace wperf::symbols::dwarf
