// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/dwarf_unit.h"

#include <algorithm>

#include "code/symbols/dwarf/dwarf_format.h"

namespace wperf::symbols::dwarf {
namespace {

// Reads the header at the cursor and moves the cursor past it. Returns false if it is invalid.
bool read_header(Cursor& cursor, Unit& unit) {
  unit.offset = cursor.offset();
  u64 length = cursor.number<u32>();
  unit.widths.offset = 4;
  if (length == 0xffffffffu) {
    length = cursor.number<u64>();
    unit.widths.offset = 8;
  }
  if (cursor.failed() || length > cursor.left()) return false;
  unit.end = cursor.offset() + length;
  unit.widths.version = cursor.number<u16>();
  if (unit.widths.version < 2 || unit.widths.version > 5) return true;
  if (unit.widths.version >= 5) {
    unit.type = cursor.number<u8>();
    unit.widths.address = cursor.number<u8>();
    unit.abbreviations_offset = cursor.sized(unit.widths.offset);
    if (unit.type == kUnitSkeleton || unit.type == kUnitSplitCompile) unit.split_id = cursor.number<u64>();
    if (unit.type == kUnitType || unit.type == kUnitSplitType) cursor.skip(8 + u64{unit.widths.offset});
  } else {
    unit.type = kUnitCompile;
    unit.abbreviations_offset = cursor.sized(unit.widths.offset);
    unit.widths.address = cursor.number<u8>();
  }
  unit.first_entry = cursor.offset();
  return !cursor.failed() && unit.first_entry <= unit.end;
}

bool is_readable(const Unit& unit) {
  const u8 address = unit.widths.address;
  return unit.widths.version >= 2 && unit.widths.version <= 5 && (address == 4 || address == 8 || address == 2) &&
         unit.first_entry < unit.end;
}

Value reference_in_unit(const Unit& unit, u64 offset) {
  return {ValueKind::reference, offset <= unit.end - unit.offset ? unit.offset + offset : ~u64{0}, {}};
}

void skip_block(Cursor& cursor, u64 size) {
  cursor.skip(size);
}

u64 indexed_entry(u64 base, u64 index, u8 width) {
  return index <= (~u64{0} - base) / width ? base + index * width : ~u64{0};
}

}  // namespace

InfoFile::InfoFile(const DwarfSections& its_sections, const InfoFile* its_alternate)
    : sections(its_sections),
      alternate(its_alternate),
      range_entries_left(8 * (sections.ranges.size() + sections.rnglists.size())),
      abbreviation_bytes_left(8 * sections.abbrev.size() + (1 << 20)),
      line_bytes_left(2 * sections.line.size()) {}

void InfoFile::read_units(DwarfDamage& damage) {
  Cursor cursor(sections.info);
  while (!cursor.at_end() && !cursor.failed()) {
    Unit unit;
    unit.file = this;
    if (!read_header(cursor, unit)) {
      ++damage.units;
      break;
    }
    cursor.seek(unit.end);
    if (is_readable(unit)) {
      units.push_back(unit);
    } else {
      ++damage.units;
    }
  }
  for (Unit& unit : units) {
    if (!read_first_entry(unit)) ++damage.units;
  }
}

const Unit* InfoFile::unit_around(u64 offset) const {
  const auto after =
      std::partition_point(units.begin(), units.end(), [&](const Unit& one) { return one.offset <= offset; });
  if (after == units.begin()) return nullptr;
  const Unit& unit = *(after - 1);
  return offset >= unit.first_entry && offset < unit.end ? &unit : nullptr;
}

const AbbreviationTable& InfoFile::abbreviations(const Unit& unit) const {
  const Widths& widths = unit.widths;
  const std::tuple key(unit.abbreviations_offset, widths.address, widths.offset, widths.version);
  auto place = known_abbreviations.find(key);
  if (place == known_abbreviations.end()) {
    const EndianBytes section = abbreviation_bytes_left > 0 ? sections.abbrev : EndianBytes();
    place = known_abbreviations.emplace(key, AbbreviationTable(section, unit.abbreviations_offset, widths)).first;
    abbreviation_bytes_left -= std::min(abbreviation_bytes_left, place->second.bytes_read());
  }
  return place->second;
}

bool read_first_entry(Unit& unit) {
  Cursor cursor(unit.file->sections.info.slice(0, unit.end), unit.first_entry);
  const u64 code = cursor.uleb();
  if (code == 0) return true;  // an empty unit
  const AbbreviationTable& table = unit.file->abbreviations(unit);
  const Abbreviation* abbreviation = table.find(code);
  if (abbreviation == nullptr) return false;
  unit.tag = abbreviation->tag;
  unit.has_children = abbreviation->has_children;
  // Default values of the bases, because split units and old compilers leave out these attributes.
  if (unit.widths.version >= 5) {
    const u64 header = unit.widths.offset == 8 ? 16 : 8;
    unit.text_offsets_base = header;
    unit.addresses_base = header;
    unit.range_lists_base = unit.widths.offset == 8 ? 20 : 12;
  }
  Value low;
  for (u32 i = 0; i < abbreviation->count; ++i) {
    const AttributeSpec& spec = table.attributes(*abbreviation)[i];
    const Value value = read_value(cursor, unit, spec);
    switch (spec.attribute) {
      case kAtName:
        unit.name = value;
        break;
      case kAtCompilationFolder:
        unit.folder = value;
        break;
      case kAtStatementList:
        unit.statement_list = value.number;
        break;
      case kAtLowPc:
        low = value;
        break;
      case kAtHighPc:
        unit.high_pc = value;
        break;
      case kAtRanges:
        unit.ranges = value;
        break;
      case kAtLanguage:
        unit.language = static_cast<u16>(value.number);
        break;
      case kAtStrOffsetsBase:
        unit.text_offsets_base = value.number;
        break;
      case kAtAddrBase:
      case kAtGnuAddrBase:
        unit.addresses_base = value.number;
        break;
      case kAtRnglistsBase:
        unit.range_lists_base = value.number;
        break;
      case kAtGnuRangesBase:
        unit.gnu_ranges_base = value.number;
        break;
      case kAtDwoName:
      case kAtGnuDwoName:
        unit.split_name = value;
        break;
      case kAtGnuDwoId:
        unit.split_id = value.number;
        break;
      default:
        break;
    }
  }
  if (low.kind != ValueKind::none) unit.low_pc = address_of(unit, low);  // it may come before the address base
  return !cursor.failed();
}

// NOLINTNEXTLINE(readability-function-size): one case for each form
Value read_value(Cursor& cursor, const Unit& unit, const AttributeSpec& spec) {
  u16 form = spec.form;
  for (int depth = 0; form == kFormIndirect && depth < 4; ++depth) form = static_cast<u16>(cursor.uleb());
  const u8 offset_width = unit.widths.offset;
  switch (form) {
    case kFormAddr:
      return {ValueKind::address, cursor.sized(unit.widths.address), {}};
    case kFormData1:
    case kFormFlag:
      return {ValueKind::number, cursor.number<u8>(), {}};
    case kFormData2:
      return {ValueKind::number, cursor.number<u16>(), {}};
    case kFormData4:
      return {ValueKind::number, cursor.number<u32>(), {}};
    case kFormData8:
      return {ValueKind::number, cursor.number<u64>(), {}};
    case kFormSdata:
      return {ValueKind::number, static_cast<u64>(cursor.sleb()), {}};
    case kFormUdata:
      return {ValueKind::number, cursor.uleb(), {}};
    case kFormImplicitConst:
      return {ValueKind::number, static_cast<u64>(spec.implicit), {}};
    case kFormFlagPresent:
      return {ValueKind::number, 1, {}};
    case kFormString:
      return {ValueKind::text, 0, cursor.text()};
    case kFormStrp:
      return {ValueKind::text_offset, cursor.sized(offset_width), {}};
    case kFormLineStrp:
      return {ValueKind::line_text_offset, cursor.sized(offset_width), {}};
    case kFormStrpSup:
    case kFormGnuStrpAlt:
      return {ValueKind::alternate_text_offset, cursor.sized(offset_width), {}};
    case kFormStrx:
    case kFormGnuStrIndex:
      return {ValueKind::text_index, cursor.uleb(), {}};
    case kFormStrx1:
      return {ValueKind::text_index, cursor.number<u8>(), {}};
    case kFormStrx2:
      return {ValueKind::text_index, cursor.number<u16>(), {}};
    case kFormStrx3:
      return {ValueKind::text_index, cursor.three_bytes(), {}};
    case kFormStrx4:
      return {ValueKind::text_index, cursor.number<u32>(), {}};
    case kFormAddrx:
    case kFormGnuAddrIndex:
      return {ValueKind::address_index, cursor.uleb(), {}};
    case kFormAddrx1:
      return {ValueKind::address_index, cursor.number<u8>(), {}};
    case kFormAddrx2:
      return {ValueKind::address_index, cursor.number<u16>(), {}};
    case kFormAddrx3:
      return {ValueKind::address_index, cursor.three_bytes(), {}};
    case kFormAddrx4:
      return {ValueKind::address_index, cursor.number<u32>(), {}};
    case kFormRef1:
      return reference_in_unit(unit, cursor.number<u8>());
    case kFormRef2:
      return reference_in_unit(unit, cursor.number<u16>());
    case kFormRef4:
      return reference_in_unit(unit, cursor.number<u32>());
    case kFormRef8:
      return reference_in_unit(unit, cursor.number<u64>());
    case kFormRefUdata:
      return reference_in_unit(unit, cursor.uleb());
    case kFormRefAddr:
      return {ValueKind::reference, cursor.sized(unit.widths.version <= 2 ? unit.widths.address : offset_width), {}};
    case kFormGnuRefAlt:
      return {ValueKind::alternate_reference, cursor.sized(offset_width), {}};
    case kFormRefSup4:
      return {ValueKind::alternate_reference, cursor.number<u32>(), {}};
    case kFormRefSup8:
      return {ValueKind::alternate_reference, cursor.number<u64>(), {}};
    case kFormSecOffset:
      return {ValueKind::offset, cursor.sized(offset_width), {}};
    case kFormRnglistx:
      return {ValueKind::range_index, cursor.uleb(), {}};
    default:
      skip_value(cursor, unit.widths, form);
      return {};
  }
}

void skip_value(Cursor& cursor, const Widths& widths, u16 form) {
  const u32 size = form_size(form, widths);
  if (size != kVariableSize) return cursor.skip(size);
  switch (form) {
    case kFormSdata:
    case kFormUdata:
    case kFormRefUdata:
    case kFormStrx:
    case kFormAddrx:
    case kFormLoclistx:
    case kFormRnglistx:
    case kFormGnuAddrIndex:
    case kFormGnuStrIndex:
      return cursor.skip_leb();
    case kFormString:
      static_cast<void>(cursor.text());
      return;
    case kFormBlock1:
      return skip_block(cursor, cursor.number<u8>());
    case kFormBlock2:
      return skip_block(cursor, cursor.number<u16>());
    case kFormBlock4:
      return skip_block(cursor, cursor.number<u32>());
    case kFormBlock:
    case kFormExprloc:
      return skip_block(cursor, cursor.uleb());
    case kFormIndirect: {
      const u64 real = cursor.uleb();
      // implicit_const has no value here, and an indirect form must not lead to another indirect form.
      if (real == kFormIndirect || real == kFormImplicitConst) return cursor.fail();
      return skip_value(cursor, widths, static_cast<u16>(real));
    }
    default:
      return cursor.fail();
  }
}

std::string_view text_of(const Unit& unit, const Value& value) {
  const DwarfSections& sections = unit.file->sections;
  switch (value.kind) {
    case ValueKind::text:
      return value.text;
    case ValueKind::text_offset:
      return sections.str.text(value.number).value_or("");
    case ValueKind::line_text_offset:
      return sections.line_str.text(value.number).value_or("");
    case ValueKind::alternate_text_offset:
      return unit.file->alternate != nullptr ? unit.file->alternate->sections.str.text(value.number).value_or("") : "";
    case ValueKind::text_index: {
      Cursor cursor(sections.str_offsets, indexed_entry(unit.text_offsets_base, value.number, unit.widths.offset));
      const u64 offset = cursor.sized(unit.widths.offset);
      return cursor.failed() ? std::string_view() : sections.str.text(offset).value_or("");
    }
    default:
      return {};
  }
}

std::optional<u64> address_of_index(const Unit& unit, u64 index) {
  const Unit& holder = unit.skeleton != nullptr ? *unit.skeleton : unit;
  Cursor cursor(holder.file->sections.addr, indexed_entry(holder.addresses_base, index, unit.widths.address));
  const u64 address = cursor.sized(unit.widths.address);
  if (cursor.failed()) return std::nullopt;
  return address;
}

std::optional<u64> address_of(const Unit& unit, const Value& value) {
  if (value.kind == ValueKind::address) return value.number;
  if (value.kind == ValueKind::address_index) return address_of_index(unit, value.number);
  return std::nullopt;
}

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

// The row of a unit, counted from 1; 0 if the index does not have it.
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
