// SPDX-License-Identifier: BSD-3-Clause
// Names of functions: an entry without a name refers to another one, perhaps in another unit or in dwz's file.
#include "code/symbols/dwarf/dwarf_format.h"
#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {
namespace {

struct NameParts {
  std::string_view linkage, plain;
  Value next;
};

NameParts read_name_parts(const Unit& unit, u64 offset) {
  NameParts parts;
  Cursor cursor(unit.file->sections.info.slice(0, unit.end), offset);
  const AbbreviationTable& table = unit.file->abbreviations(unit);
  const Abbreviation* abbreviation = table.find(cursor.uleb());
  if (abbreviation == nullptr) return parts;
  const AttributeSpec* const specs = table.attributes(*abbreviation);
  for (u32 i = 0; i < abbreviation->count; ++i) {
    const AttributeSpec& spec = specs[i];
    switch (spec.attribute) {
      case kAtName:
        parts.plain = text_of(unit, read_value(cursor, unit, spec));
        break;
      case kAtLinkageName:
      case kAtMipsLinkageName:
        parts.linkage = text_of(unit, read_value(cursor, unit, spec));
        break;
      case kAtAbstractOrigin:
      case kAtSpecification:
        parts.next = read_value(cursor, unit, spec);
        break;
      default:
        skip_value(cursor, unit.widths, spec.form);
        break;
    }
  }
  if (cursor.failed()) return {};
  return parts;
}

std::string_view search_name(const InfoFile* file, u64 offset) {
  constexpr int kLongestChain = 16;
  std::string_view plain;
  for (int i = 0; i < kLongestChain; ++i) {
    const Unit* unit = file->unit_around(offset);
    if (unit == nullptr) break;
    const NameParts parts = read_name_parts(*unit, offset);
    if (!parts.linkage.empty()) return parts.linkage;
    if (plain.empty()) plain = parts.plain;
    if (parts.next.kind == ValueKind::alternate_reference) {
      file = file->alternate;
    } else if (parts.next.kind != ValueKind::reference) {
      break;
    }
    if (file == nullptr) break;
    offset = parts.next.number;
  }
  return plain;
}

}  // namespace

std::string_view function_name(const InfoFile& file, u64 offset) {
  const auto [place, is_new] = file.known_names.try_emplace(offset);
  if (is_new) place->second = search_name(&file, offset);
  return place->second;
}

}  // namespace wperf::symbols::dwarf
