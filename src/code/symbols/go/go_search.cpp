// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/go/go_search.h"

#include <algorithm>
#include <functional>

#include "code/symbols/go/go_format.h"

namespace wperf::symbols {
namespace {

constexpr u64 kWord = 8;

bool is_code(const GoProgram& program, u64 begin, u64 end) {
  return std::ranges::any_of(program.parts, [&](const GoPart& part) {
    return part.executable && begin >= part.address && begin <= end && end - part.address <= part.size;
  });
}

bool fits(const GoTable& table, u64 text, const GoProgram& program) {
  return text <= ~u64{0} - table.last() && is_code(program, text + table.first(), text + table.last());
}

// moduledata names the addresses of the table and of the text. Returns the text's address; 0 if no moduledata names
// this table.
u64 text_in_moduledata(const GoTable& table, u64 address, const GoProgram& program) {
  for (const GoPart& part : program.parts) {
    if (part.executable) continue;
    const EndianBytes bytes(part.bytes, program.big_endian);
    for (u64 at = 0; bytes.holds(at, go::kModuleBytes); at += kWord) {
      if (bytes.at_or_zero<u64>(at) != address || bytes.at_or_zero<u64>(at + kWord) != address + table.names_offset())
        continue;
      const u64 text = bytes.at_or_zero<u64>(at + go::kModuleTextAt);
      if (bytes.at_or_zero<u64>(at + go::kFirstCodeAt) == text + table.first() && fits(table, text, program)) {
        return text;
      }
    }
  }
  return 0;
}

// Go's own linker makes a section that contains only the text and a few bytes after it. Other linkers put C code first.
u64 text_that_fills_section(const GoTable& table, const GoProgram& program) {
  constexpr u64 kMostAfter = 64;
  for (const GoPart& part : program.parts) {
    if (!part.executable || table.last() > part.size || part.size - table.last() > kMostAfter) continue;
    if (fits(table, part.address, program)) return part.address;
  }
  return 0;
}

bool locate(GoTable& table, u64 address, const GoProgram& program) {
  const auto stored = table.stored_text();
  if (!stored.has_value()) return is_code(program, table.first(), table.last());
  u64 text = *stored != 0 && fits(table, *stored, program) ? *stored : 0;
  if (text == 0) text = text_in_moduledata(table, address, program);
  if (text == 0) text = text_that_fills_section(table, program);
  table.set_text(text);
  return text != 0;
}

// Do these eight bytes look like the beginning of a table?
bool is_table_begin(u64 word, u8 quantum) {
  if ((word & 0xffff'ffff'ffff'ff00) != (u64{8} << 56 | u64{quantum} << 48 | 0xffff'ff00)) return false;
  const auto magic = static_cast<u32>(word);
  return magic == go::kMagic20 || magic == go::kMagic18 || magic == go::kMagic16 || magic == go::kMagic2;
}

}  // namespace

std::vector<GoPart> with_bytes_once(std::vector<GoPart> parts) {
  std::ranges::stable_sort(parts, std::less<>(), [](const GoPart& part) { return part.bytes.data(); });
  const std::byte* end = nullptr;
  for (GoPart& part : parts) {
    if (part.bytes.empty()) continue;
    if (end != nullptr && part.bytes.data() < end) {
      part.bytes = {};
    } else {
      end = part.bytes.data() + part.bytes.size();
    }
  }
  return parts;
}

std::optional<GoTable> go_table_in(const GoPart& part, const GoProgram& program) {
  auto table = GoTable::read(EndianBytes(part.bytes, program.big_endian));
  if (!table.has_value() || !locate(*table, part.address, program)) return std::nullopt;
  return table;
}

std::optional<GoTable> find_go_table(const GoProgram& program, u8 quantum) {
  u32 tries = 16;  // several, because a program may contain other programs as data
  for (const GoPart& part : program.parts) {
    if (part.executable) continue;
    const EndianBytes bytes(part.bytes, program.big_endian);
    for (u64 at = 0; bytes.holds(at, kWord); at += kWord) {
      if (!is_table_begin(bytes.at_or_zero<u64>(at), quantum)) continue;
      if (tries-- == 0) return std::nullopt;
      auto table = go_table_in({part.address + at, part.size - at, bytes.from(at).span(), false}, program);
      if (table.has_value()) return table;
    }
  }
  return std::nullopt;
}

}  // namespace wperf::symbols
