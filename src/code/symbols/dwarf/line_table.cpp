// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/line_table.h"

#include <algorithm>
#include <utility>

#include "code/ordered.h"
#include "code/symbols/dwarf/dwarf_format.h"

namespace wperf::symbols::dwarf {

struct LineTable::Header {
  u64 end = 0;
  u16 version = 0;
  u8 least_instruction = 1;
  std::int8_t line_base = 0;
  u8 line_range = 1;
  u8 opcode_base = 13;
  u8 operand_counts[256] = {};
};

LineTable::LineTable(const Unit& unit, u64 offset, DwarfDamage& damage) : unit_(unit) {
  Cursor whole(unit.file->sections.line, offset);
  Header header;
  u64 length = whole.number<u32>();
  unit_.widths.offset = 4;
  if (length == 0xffffffffu) {
    length = whole.number<u64>();
    unit_.widths.offset = 8;
  }
  if (whole.failed()) {
    ++damage.units;
    return;
  }
  if (length > whole.left()) ++damage.units;  // the existing part is read
  header.end = whole.offset() + std::min(length, whole.left());
  u64& bytes_left = unit.file->line_bytes_left;
  if (header.end - offset > bytes_left) {
    ++damage.units;
    return;
  }
  bytes_left -= header.end - offset;
  Cursor cursor(unit.file->sections.line.slice(0, header.end), whole.offset());
  if (!read_header(cursor, unit, header)) {
    ++damage.units;
    return;
  }
  paths_.resize(files_.size());
  run(cursor, header);
  code::order_by(sequences_, [](const Sequence& one) { return std::pair(one.begin, one.end); });
}

bool LineTable::read_header(Cursor& cursor, const Unit& unit, Header& header) {
  header.version = cursor.number<u16>();
  if (header.version < 2 || header.version > 5) return false;
  if (header.version >= 5) {
    unit_.widths.address = cursor.number<u8>();
    cursor.skip(1);  // size of segment selectors
    const u8 width = unit_.widths.address;
    if (width != 2 && width != 4 && width != 8) return false;
  }
  unit_.widths.version = header.version;
  const u64 header_length = cursor.sized(unit_.widths.offset);
  if (header_length > cursor.left()) return false;
  const u64 program = cursor.offset() + header_length;
  header.least_instruction = cursor.number<u8>();
  if (header.version >= 4) cursor.skip(1);  // operations per instruction: always one on supported machines
  cursor.skip(1);                           // default value of is_stmt
  header.line_base = static_cast<std::int8_t>(cursor.number<u8>());
  header.line_range = cursor.number<u8>();
  header.opcode_base = cursor.number<u8>();
  for (u32 i = 1; i < header.opcode_base; ++i) header.operand_counts[i] = cursor.number<u8>();
  if (cursor.failed() || header.line_range == 0) return false;
  if (header.version >= 5) {
    std::vector<File> folders;
    if (!read_new_entries(cursor, folders) || !read_new_entries(cursor, files_)) return false;
    for (const File& folder : folders) folders_.push_back(folder.name);
  } else {
    folders_.push_back(unit.folder);
    read_old_files(cursor);
  }
  if (cursor.failed()) return false;
  cursor.seek(program);
  return true;
}

void LineTable::read_old_files(Cursor& cursor) {
  while (!cursor.failed()) {
    const std::string_view folder = cursor.text();
    if (folder.empty()) break;
    folders_.push_back({ValueKind::text, 0, folder});
  }
  files_.emplace_back();  // files are numbered from 1
  while (!cursor.failed()) {
    const std::string_view name = cursor.text();
    if (name.empty()) break;
    const u64 folder = cursor.uleb();
    cursor.skip_leb();  // time
    cursor.skip_leb();  // size
    files_.push_back({{ValueKind::text, 0, name}, folder});
  }
}

// Reads a list that declares the forms of its entries.
bool LineTable::read_new_entries(Cursor& cursor, std::vector<File>& out) const {
  const u32 format_count = cursor.number<u8>();
  AttributeSpec formats[256];
  for (u32 i = 0; i < format_count; ++i) {
    formats[i].attribute = static_cast<u16>(cursor.uleb());
    formats[i].form = static_cast<u16>(cursor.uleb());
  }
  const u64 count = cursor.uleb();
  for (u64 i = 0; i < count && !cursor.failed(); ++i) {
    const u64 before = cursor.offset();
    File file;
    for (u32 j = 0; j < format_count; ++j) {
      const Value value = read_value(cursor, unit_, formats[j]);
      if (formats[j].attribute == kContentPath) file.name = value;
      if (formats[j].attribute == kContentFolder) file.folder = value.number;
    }
    if (cursor.offset() == before) return false;  // entries without bytes: the count is wrong
    out.push_back(file);
  }
  return !cursor.failed();
}

void LineTable::end_sequence(u32 first, u64 end) {
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first);
  code::order_by(rows_, [](const Row& one) { return one.address; }, first);
  const u64 largest = unit_.widths.address == 8 ? ~u64{0} : (u64{1} << (8 * unit_.widths.address)) - 1;
  const bool is_dropped = first == rows_.size() || begin->address == 0 || begin->address >= largest - 1;
  if (is_dropped || end <= begin->address) {
    rows_.resize(first);
    return;
  }
  sequences_.push_back({begin->address, end, first, static_cast<u32>(rows_.size()) - first});
}

// NOLINTNEXTLINE(readability-function-size): one case for each opcode
void LineTable::run(Cursor& cursor, const Header& header) {
  struct Registers {
    u64 address = 0, file = 1, line = 1, discriminator = 0;
  } state;
  auto first = static_cast<u32>(rows_.size());
  const u64 const_advance = u64{(255u - header.opcode_base) / header.line_range} * header.least_instruction;
  const auto add_row = [&] {
    const Row row{state.address, static_cast<u32>(state.line), static_cast<u32>(state.file),
                  static_cast<u32>(std::exchange(state.discriminator, 0))};
    if (rows_.size() > first) {
      Row& last = rows_.back();
      if (last.address == row.address) {  // if an address has several rows, the last one counts
        last = row;
        return;
      }
      const bool is_same = last.line == row.line && last.file == row.file && last.discriminator == row.discriminator;
      if (is_same && row.address > last.address) return;
    }
    rows_.push_back(row);
  };
  while (!cursor.at_end()) {
    const u8 opcode = cursor.number<u8>();
    if (opcode >= header.opcode_base) {
      const u32 adjusted = static_cast<u32>(opcode) - header.opcode_base;
      state.address += u64{adjusted / header.line_range} * header.least_instruction;
      state.line += static_cast<u64>(static_cast<std::int64_t>(header.line_base) +
                                     static_cast<std::int64_t>(adjusted % header.line_range));
      add_row();
      continue;
    }
    switch (opcode) {
      case kLineExtended: {
        const u64 length = cursor.uleb();
        if (length == 0) break;
        if (length > cursor.left()) return;
        const u64 next = cursor.offset() + length;
        const u8 extended = cursor.number<u8>();
        if (extended == kLineEndSequence) {
          end_sequence(first, state.address);
          first = static_cast<u32>(rows_.size());
          state = {};
        } else if (extended == kLineSetAddress) {
          state.address = cursor.sized(static_cast<u8>(std::min<u64>(length - 1, 9)));
        } else if (extended == kLineSetDiscriminator) {
          state.discriminator = cursor.uleb();
        } else if (extended == kLineDefineFile) {
          const std::string_view name = cursor.text();
          files_.push_back({{ValueKind::text, 0, name}, cursor.uleb()});
          paths_.emplace_back();
        }
        cursor.seek(next);
        break;
      }
      case kLineCopy:
        add_row();
        break;
      case kLineAdvancePc:
        state.address += cursor.uleb() * header.least_instruction;
        break;
      case kLineAdvanceLine:
        state.line += static_cast<u64>(cursor.sleb());
        break;
      case kLineSetFile:
        state.file = cursor.uleb();
        break;
      case kLineConstAddPc:
        state.address += const_advance;
        break;
      case kLineFixedAdvancePc:
        state.address += cursor.number<u16>();
        break;
      default:  // other attributes are only skipped
        for (u32 i = 0; i < header.operand_counts[opcode]; ++i) cursor.skip_leb();
        break;
    }
    if (cursor.failed()) break;
  }
  rows_.resize(first);  // drops a sequence without an end
}

std::span<const LineTable::Sequence> LineTable::sequences_at(u64 address) const {
  const auto after = std::partition_point(sequences_.begin(), sequences_.end(),
                                          [&](const Sequence& one) { return one.begin <= address; });
  if (after == sequences_.begin()) return {};
  constexpr std::ptrdiff_t kMost = 64;  // a damaged file may have any number
  auto first = after;
  while (first != sequences_.begin() && after - first < kMost) {
    const Sequence& before = *(first - 1);
    if (before.begin != (after - 1)->begin || before.end <= address) break;
    --first;
  }
  return {first, after};
}

// The first line of a function's code is the line of its declaration, or a later one.
const LineTable::Sequence& LineTable::nearest(std::span<const Sequence> some, u32 line) const {
  const auto distance = [&](const Sequence& one) { return rows_[one.first].line - line; };  // huge for an earlier line
  return *std::min_element(some.begin(), some.end(),
                           [&](const Sequence& one, const Sequence& other) { return distance(one) < distance(other); });
}

const LineTable::Row* LineTable::row_in(const Sequence& sequence, u64 address) const {
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(sequence.first);
  const auto row = std::partition_point(first, first + static_cast<std::ptrdiff_t>(sequence.count),
                                        [&](const Row& one) { return one.address <= address; });
  return row == first ? nullptr : &*(row - 1);
}

std::string_view LineTable::path(u64 file) const {
  if (file >= paths_.size()) return {};  // one path for each file; empty if the header was damaged
  std::string& known = paths_[static_cast<usize>(file)];
  if (!known.empty()) return known;
  const File& entry = files_[static_cast<usize>(file)];
  const std::string_view name = text_of(unit_, entry.name);
  if (name.empty()) return {};
  std::string path;
  const auto add = [&](std::string_view part) {
    if (part.starts_with('/')) path.clear();
    if (!path.empty() && path.back() != '/') path += '/';
    path += part;
  };
  if (!name.starts_with('/')) {
    const std::string_view folder =
        entry.folder < folders_.size() ? text_of(unit_, folders_[static_cast<usize>(entry.folder)]) : "";
    if (!folder.starts_with('/')) {
      const bool is_home = entry.folder == 0;
      if (!is_home || folder.empty()) path = text_of(unit_, unit_.folder);
    }
    if (!folder.empty()) add(folder);
  }
  add(name);
  known = std::move(path);
  return known;
}

}  // namespace wperf::symbols::dwarf
