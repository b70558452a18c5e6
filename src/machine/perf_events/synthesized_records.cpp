// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/synthesized_records.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ground/text/parts.h"

namespace wperf::perf_events {
namespace {

constexpr u32 kNobody = ~u32{0};
constexpr std::string_view kDeletedMark = " (deleted)";
constexpr u64 kMostKernelBytes = u64{1} << 30;  // used if its length is unknown

bool take_number(std::string_view& text, u64& value, int base) {
  const char* const begin =
      text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage): the size is passed with it
  const auto end = std::from_chars(begin, begin + text.size(), value, base);
  if (end.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<usize>(end.ptr - begin));
  return true;
}

bool take_mark(std::string_view& text, std::string_view mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(mark.size());
  return true;
}

void pass_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::string_view take_word(std::string_view& text) {
  pass_spaces(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// "55e8a000-55e8b000 r-xp 00001000 fe:00 1234    /usr/bin/name"
bool read_mapping(std::string_view line, WhichMappings which, perf_data::WrittenMapping& mapping) {
  u64 end = 0, major = 0, minor = 0;
  if (!take_number(line, mapping.address, 16) || !take_mark(line, "-") || !take_number(line, end, 16)) return false;
  const std::string_view rights = take_word(line);
  if (rights.size() != 4 || end <= mapping.address) return false;
  const bool is_code = rights[2] == 'x';
  if (!is_code && which == WhichMappings::code) return false;
  pass_spaces(line);
  if (!take_number(line, mapping.page_offset, 16)) return false;
  pass_spaces(line);
  if (!take_number(line, major, 16) || !take_mark(line, ":") || !take_number(line, minor, 16)) return false;
  pass_spaces(line);
  if (!take_number(line, mapping.inode, 10)) return false;
  pass_spaces(line);
  constexpr u32 kReadable = 1, kWritable = 2, kExecutable = 4, kShared = 1, kPrivate = 2;
  mapping.length = end - mapping.address;
  mapping.protection =
      (is_code ? kExecutable : 0) | (rights[0] == 'r' ? kReadable : 0) | (rights[1] == 'w' ? kWritable : 0);
  mapping.flags = rights[3] == 's' ? kShared : kPrivate;
  mapping.device_major = static_cast<u32>(major);
  mapping.device_minor = static_cast<u32>(minor);
  mapping.file = line.empty() ? "//anon" : line;
  return true;
}

void identify(perf_data::WrittenMapping& mapping, const BuildIdOf& build_id_of) {
  ListedMapping listed{.begin = mapping.address, .end = mapping.address + mapping.length, .path = mapping.file};
  listed.is_deleted = listed.path.ends_with(kDeletedMark);
  if (listed.is_deleted) listed.path.remove_suffix(kDeletedMark.size());
  mapping.build_id = build_id_of(listed);
  if (!mapping.build_id.empty()) mapping.file = listed.path;
}

u64 value_at(std::string_view bytes, u64 offset, usize width) {
  u64 value = 0;
  if (offset > bytes.size() || bytes.size() - offset < width) return 0;
  std::memcpy(&value, bytes.data() + offset, width);
  return value;
}

// Parses "  01000000-0220bb07 : Kernel code".
u64 kernel_bytes(std::string_view memory) {
  while (!memory.empty()) {
    std::string_view line = text::take_part(memory, '\n');
    if (!line.ends_with(" : Kernel code")) continue;
    u64 first = 0, last = 0;
    pass_spaces(line);
    if (!take_number(line, first, 16) || !take_mark(line, "-") || !take_number(line, last, 16)) break;
    if (last > first && last - first < kMostKernelBytes) return last - first + 1;
    break;
  }
  return kMostKernelBytes;
}

}  // namespace

void append_mappings(std::string& out, const ProcessMaps& read, WhichMappings which, const BuildIdOf& build_id_of,
                     const perf_data::Trailer& trailer) {
  std::string_view maps = read.maps;
  while (!maps.empty()) {
    perf_data::WrittenMapping mapping;
    if (!read_mapping(text::take_part(maps, '\n'), which, mapping)) continue;
    mapping.pid = mapping.tid = read.process;
    if (mapping.inode != 0) identify(mapping, build_id_of);
    perf_data::append_mmap2(out, mapping, trailer);
  }
}

// Parses "ffffffff81000000 T _text".
void append_kernel(std::string& out, std::string_view symbols, std::string_view memory,
                   const perf_data::Trailer& trailer, std::string_view build_id) {
  while (!symbols.empty()) {
    std::string_view line = text::take_part(symbols, '\n');
    u64 address = 0;
    if (!take_number(line, address, 16) || address == 0) continue;
    const std::string_view kind = take_word(line);
    if ((kind != "T" && kind != "t") || take_word(line) != "_text") continue;
    const u64 length = std::min(kernel_bytes(memory), ~u64{0} - address);
    perf_data::append_mmap2(out,
                            {.pid = kNobody,
                             .tid = 0,
                             .address = address,
                             .length = length,
                             .page_offset = address,
                             .kernel = true,
                             .build_id = build_id,
                             .file = "[kernel.kallsyms]_text"},
                            trailer);
    return;
  }
}

// Parses "name 16384 1 other, Live 0xffffffffc0000000 (O)".
void append_kernel_modules(std::string& out, std::string_view modules, const perf_data::Trailer& trailer) {
  while (!modules.empty()) {
    std::string_view line = text::take_part(modules, '\n');
    const std::string_view name = take_word(line);
    u64 size = 0, address = 0;
    pass_spaces(line);
    if (name.empty() || !take_number(line, size, 10)) continue;
    const usize at = line.find(" 0x");
    if (at == std::string_view::npos) continue;
    line.remove_prefix(at + 3);
    if (!take_number(line, address, 16) || address == 0 || size == 0 || size > ~u64{0} - address) continue;
    const std::string shown = "[" + std::string(name) + "]";
    perf_data::append_mmap2(
        out,
        {.pid = kNobody, .tid = 0, .address = address, .length = size, .kernel = true, .build_id = {}, .file = shown},
        trailer);
  }
}

// Each note: length of its name, length of its content, type, name, content; both are padded to a multiple of 4.
std::string_view build_id_in_notes(std::string_view notes) {
  constexpr u64 kHead = 12, kBuildId = 3, kMostBytes = 20;
  const auto rounded = [](u64 length) { return (length + 3) & ~u64{3}; };
  while (notes.size() >= kHead) {
    const u64 name = value_at(notes, 0, 4), length = value_at(notes, 4, 4), kind = value_at(notes, 8, 4);
    const u64 begin = kHead + rounded(name);
    if (begin > notes.size() || length > notes.size() - begin) return {};
    const bool is_build_id = kind == kBuildId && notes.substr(kHead, 4) == std::string_view("GNU\0", 4);
    if (is_build_id && name == 4 && length <= kMostBytes) return notes.substr(begin, length);
    notes.remove_prefix(std::min<u64>(begin + rounded(length), notes.size()));
  }
  return {};
}

// Reads only 64-bit files in this machine's byte order. Other files get no build id; perf does not need it.
std::string_view build_id_in_elf(std::string_view bytes) {
  constexpr u64 kNotes = 4, kLeastHeader = 56;
  if (!bytes.starts_with(std::string_view("\x7f"
                                          "ELF\x02\x01",
                                          6))) {
    return {};
  }
  const u64 table = value_at(bytes, 32, 8), size = value_at(bytes, 54, 2), count = value_at(bytes, 56, 2);
  for (u64 i = 0; i < count && size >= kLeastHeader; ++i) {
    if (table > bytes.size() || i * size > bytes.size() - table) break;
    const u64 header = table + i * size;
    if (value_at(bytes, header, 4) != kNotes) continue;
    const u64 offset = value_at(bytes, header + 8, 8), length = value_at(bytes, header + 32, 8);
    if (offset > bytes.size() || length > bytes.size() - offset) continue;
    const std::string_view found = build_id_in_notes(bytes.substr(offset, length));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace wperf::perf_events
