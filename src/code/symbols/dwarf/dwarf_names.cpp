// SPDX-License-Identifier: BSD-3-Clause
// Names and lines of functions. An entry without a name refers to another entry, perhaps in another unit or in dwz's
// file.
#include "code/symbols/dwarf/dwarf_format.h"
#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {
namespace {

struct NameParts {
  std::string_view linkage, plain;
  u32 line = 0;  // line of the declaration
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
      case kAtDeclaredLine:
        parts.line = static_cast<u32>(read_value(cursor, unit, spec).number);
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

// Visits an entry and the chain of entries that it refers to, until visit() returns true.
template <class Visit>
void follow_entries(const InfoFile* file, u64 offset, Visit&& visit) {
  constexpr int kLongestChain = 16;
  for (int i = 0; i < kLongestChain && file != nullptr; ++i) {
    const Unit* unit = file->unit_around(offset);
    if (unit == nullptr) return;
    const NameParts parts = read_name_parts(*unit, offset);
    if (visit(parts)) return;
    if (parts.next.kind == ValueKind::alternate_reference) {
      file = file->alternate;
    } else if (parts.next.kind != ValueKind::reference) {
      return;
    }
    offset = parts.next.number;
  }
}

std::string_view search_name(const InfoFile* file, u64 offset) {
  std::string_view linkage, plain;
  follow_entries(file, offset, [&](const NameParts& parts) {
    linkage = parts.linkage;
    if (plain.empty()) plain = parts.plain;
    return !linkage.empty();
  });
  return linkage.empty() ? plain : linkage;
}

}  // namespace

std::string_view function_name(const InfoFile& file, u64 offset) {
  const auto [place, is_new] = file.known_names.try_emplace(offset);
  if (is_new) place->second = search_name(&file, offset);
  return place->second;
}

u32 declared_line(const InfoFile& file, u64 offset) {
  const auto [place, is_new] = file.known_lines.try_emplace(offset, 0);
  if (is_new) {
    follow_entries(&file, offset, [&](const NameParts& parts) {
      place->second = parts.line;
      return parts.line != 0;
    });
  }
  return place->second;
}

}  // namespace wperf::symbols::dwarf
