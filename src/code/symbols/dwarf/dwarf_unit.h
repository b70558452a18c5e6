// SPDX-License-Identifier: BSD-3-Clause
// The units of .debug_info: their headers, their first entries, and the reading of attributes.
#pragma once
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "code/address.h"
#include "code/symbols/dwarf/abbreviations.h"
#include "code/symbols/dwarf/dwarf_file.h"

namespace wperf::symbols::dwarf {

enum class ValueKind : u8 {
  none,
  address,
  address_index,
  number,
  text,
  text_offset,
  line_text_offset,
  alternate_text_offset,
  text_index,
  reference,
  alternate_reference,
  offset,
  range_index
};

struct Value {
  ValueKind kind = ValueKind::none;
  u64 number = 0;         // for references, an offset in .debug_info; negative numbers are in two's complement
  std::string_view text;  // for kind text
};

struct InfoFile;

struct Unit {
  const InfoFile* file = nullptr;
  u64 offset = 0, first_entry = 0, end = 0;
  Widths widths;
  u8 type = 0;
  u64 abbreviations_offset = 0;
  u64 split_id = 0;
  // From the unit's first entry:
  u16 tag = 0;
  u16 language = 0;
  u64 text_offsets_base = 0, addresses_base = 0, range_lists_base = 0, gnu_ranges_base = 0;
  std::optional<u64> low_pc, statement_list;
  Value high_pc, ranges, name, folder, split_name;
  bool has_children = false;
  // For a split unit, its skeleton. Addresses and, before DWARF 5, ranges are in the skeleton's file.
  const Unit* skeleton = nullptr;
};

// One .debug_info and the sections it refers to.
struct InfoFile {
  explicit InfoFile(const DwarfSections& its_sections, const InfoFile* its_alternate = nullptr);
  // Reads the headers and first entries of all units.
  void read_units(DwarfDamage& damage);
  const Unit* unit_around(u64 offset) const;
  const AbbreviationTable& abbreviations(const Unit& unit) const;

  DwarfSections sections;
  const InfoFile* alternate;
  std::vector<Unit> units;  // ordered by offset
  mutable std::map<std::tuple<u64, u8, u8, u16>, AbbreviationTable> known_abbreviations;
  mutable std::unordered_map<u64, std::string_view> known_names;  // keyed by entry
  mutable std::unordered_map<u64, u32> known_lines;               // keyed by entry
  // Undamaged files stay far below these limits. A damaged file could make the reader read the same lists many times.
  mutable u64 range_entries_left = 0, abbreviation_bytes_left = 0, line_bytes_left = 0;
};

// Reads the unit's first entry. Returns false if it is damaged.
bool read_first_entry(Unit& unit);
// The name of the function entry at `offset`, or of the entry that it refers to; the linkage name if there is one.
std::string_view function_name(const InfoFile& file, u64 offset);
// The line of the same function's declaration; 0 if not known.
u32 declared_line(const InfoFile& file, u64 offset);

// Reads the attribute at the cursor and moves the cursor past it.
Value read_value(Cursor& cursor, const Unit& unit, const AttributeSpec& spec);
void skip_value(Cursor& cursor, const Widths& widths, u16 form);

std::string_view text_of(const Unit& unit, const Value& value);
std::optional<u64> address_of(const Unit& unit, const Value& value);
std::optional<u64> address_of_index(const Unit& unit, u64 index);

// DW_AT_low_pc, DW_AT_high_pc and DW_AT_ranges of an entry.
struct RangeValues {
  const Value &low, &high, &ranges;
};
// The ranges of an entry, without code that the linker dropped.
void read_ranges(const Unit& unit, const RangeValues& values, std::vector<code::AddressRange>& out,
                 DwarfDamage& damage);

// The ranges in .debug_aranges, keyed by the offset of their unit.
std::map<u64, std::vector<code::AddressRange>> read_address_table(const InfoFile& file);

// .dwp files combine many .dwo files. An index says which part of each section belongs to which unit.

// The parts of the sections that belong to this unit; empty if the file does not have the unit.
DwarfSections sections_of_unit(const DwarfSections& package, u64 unit_id);

}  // namespace wperf::symbols::dwarf
