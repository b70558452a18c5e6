// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/frame_table.h"

#include <algorithm>

#include "code/symbols/dwarf/cursor.h"
#include "code/unwind/frame_program.h"

namespace wperf::unwind {
namespace {

using symbols::EndianBytes;
using symbols::dwarf::Cursor;

// An entry of either section, without its length and its kind.
struct Entry {
  bool is_common = false;
  u64 common = 0;    // for a function: the offset of its common entry
  u64 begin = 0;     // position in the section of `rest`
  EndianBytes rest;  // the bytes of the entry that were not read yet
  u64 next = 0;      // position of the next entry
};

std::optional<Entry> read_entry(const FrameSections& sections, u64 offset) {
  Cursor cursor(sections.frames, offset);
  u64 length = cursor.number<u32>();
  const bool is_long = length == 0xffffffff;
  if (is_long) length = cursor.number<u64>();
  const u64 begin = cursor.offset();
  if (cursor.failed() || length == 0 || !sections.frames.holds(begin, length)) return std::nullopt;
  // In .eh_frame, the pointer to the common entry always has four bytes, whatever the size of the length is.
  const bool is_wide = is_long && sections.is_debug_frame;
  const u64 pointer = is_wide ? cursor.number<u64>() : cursor.number<u32>();
  const u64 behind = cursor.offset();
  if (cursor.failed() || behind > begin + length) return std::nullopt;
  Entry entry;
  entry.next = begin + length;
  entry.begin = behind;
  entry.rest = sections.frames.slice(behind, entry.next - behind);
  if (sections.is_debug_frame) {
    entry.is_common = pointer == (is_wide ? ~u64{0} : u64{0xffffffff});
    entry.common = pointer;
  } else {
    entry.is_common = pointer == 0;
    if (pointer > begin) return std::nullopt;
    entry.common = begin - pointer;
  }
  return entry;
}

// "zPLRS…": reading stops at an unknown letter, because the length of the data shows where it ends.
bool read_augmentation(Cursor& cursor, std::string_view letters, u64 part_address, CommonEntry& out) {
  if (letters.empty()) return true;
  if (letters.front() != 'z') return false;
  out.has_augmentation_size = true;
  const u64 size = cursor.uleb();
  const u64 end = cursor.offset() + std::min(size, cursor.left());
  if (size > cursor.left()) return false;
  for (const char letter : letters.substr(1)) {
    if (letter == 'S') {
      out.is_signal_frame = true;
    } else if (letter == 'R') {
      out.pointer_encoding = cursor.number<u8>();
    } else if (letter == 'L') {
      cursor.skip(1);
    } else if (letter == 'P') {
      const u8 encoding = cursor.number<u8>();
      if (!read_pointer(cursor, encoding & 0x7f, part_address, 0).has_value()) return false;
    } else if (letter != 'B') {  // B: return addresses are signed with the other key
      break;
    }
  }
  cursor.seek(end);
  return !cursor.failed();
}

bool is_readable(const symbols::ElfFile& file) {
  return file.is_64_bit() && !file.big_endian();
}

}  // namespace

FrameSections eh_frame_of(const symbols::ElfFile& file) {
  FrameSections out;
  const symbols::ElfSection* frames = file.section(".eh_frame");
  if (!is_readable(file) || frames == nullptr) return out;
  out.frames = file.stored(*frames);
  out.address = frames->address;
  if (const symbols::ElfSection* search = file.section(".eh_frame_hdr")) {
    out.search = file.stored(*search);
    out.search_address = search->address;
  }
  return out;
}

FrameSections debug_frame_of(const symbols::ElfFile& file) {
  FrameSections out;
  out.is_debug_frame = true;
  if (is_readable(file)) out.frames = file.contents(".debug_frame");
  return out;
}

FrameTable::FrameTable(const FrameSections& sections) : sections_(sections) {
  if (!has_search_table()) search_count_ = 0;
}

// The form that all linkers write: pairs of 32-bit distances from the section, sorted by address.
bool FrameTable::has_search_table() {
  constexpr u8 kFourBytes = 0x03, kPairs = 0x3b;
  Cursor cursor(sections_.search);
  const u8 version = cursor.number<u8>(), frames_encoding = cursor.number<u8>();
  const u8 count_encoding = cursor.number<u8>(), table_encoding = cursor.number<u8>();
  if (version != 1 || count_encoding != kFourBytes || table_encoding != kPairs) return false;
  if (!read_pointer(cursor, frames_encoding, sections_.search_address, sections_.search_address)) return false;
  search_count_ = cursor.number<u32>();
  search_begin_ = cursor.offset();
  return !cursor.failed() && search_count_ != 0 && search_count_ <= cursor.left() / 8;
}

const FrameRow* FrameTable::row_at(u64 address) {
  const auto [known, is_new] = rows_.try_emplace(address);
  if (is_new) {
    const auto function = function_at(address);
    if (function.has_value()) known->second = row_in(*function, address);
  }
  return known->second.has_value() ? &*known->second : nullptr;
}

std::optional<FunctionEntry> FrameTable::function_at(u64 address) {
  std::optional<u64> offset;
  if (search_count_ != 0) {
    offset = searched_entry(address);
  } else {
    index_all();
    const auto behind = std::upper_bound(index_.begin(), index_.end(), address,
                                         [](u64 wanted, const Indexed& one) { return wanted < one.begin; });
    if (behind != index_.begin()) offset = std::prev(behind)->offset;
  }
  if (!offset.has_value()) return std::nullopt;
  auto function = read_function(*offset);
  if (!function.has_value() || address < function->begin || address >= function->end) return std::nullopt;
  return function;
}

std::optional<u64> FrameTable::searched_entry(u64 address) const {
  const auto distance = [&](u64 pair, u64 half) {
    const u32 word = sections_.search.at_or_zero<u32>(search_begin_ + pair * 8 + half * 4);
    return sections_.search_address + static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)));
  };
  u64 low = 0, high = search_count_;  // the first pair that begins after the address is in this range
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    if (distance(middle, 0) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return std::nullopt;
  return distance(low - 1, 1) - sections_.address;
}

void FrameTable::index_all() {
  if (is_indexed_) return;
  is_indexed_ = true;
  for (u64 offset = 0; offset < sections_.frames.size();) {
    const auto entry = read_entry(sections_, offset);
    if (!entry.has_value()) {
      // A length of zero ends .eh_frame, but linkers may leave such an entry in the middle.
      if (sections_.frames.at_or_zero<u32>(offset) != 0) break;
      offset += sizeof(u32);
      continue;
    }
    if (!entry->is_common) {
      const auto function = read_function(offset);
      if (function.has_value() && function->begin < function->end) {
        index_.push_back({function->begin, function->end, offset});
      }
    }
    offset = entry->next;
  }
  std::sort(index_.begin(), index_.end(), [](const Indexed& a, const Indexed& b) { return a.begin < b.begin; });
}

std::optional<FunctionEntry> FrameTable::read_function(u64 offset) const {
  const auto entry = read_entry(sections_, offset);
  if (!entry.has_value() || entry->is_common) return std::nullopt;
  const auto common = read_common(entry->common);
  if (!common.has_value()) return std::nullopt;
  FunctionEntry function;
  function.common = *common;
  const u64 part_address = sections_.address + entry->begin;
  Cursor cursor(entry->rest);
  const auto begin = read_pointer(cursor, common->pointer_encoding, part_address, sections_.search_address);
  const auto size = read_pointer(cursor, common->pointer_encoding & 0x0f, 0, 0);
  if (!begin.has_value() || !size.has_value() || *size > ~u64{0} - *begin) return std::nullopt;
  function.begin = *begin;
  function.end = *begin + *size;
  if (common->has_augmentation_size) cursor.skip(cursor.uleb());
  if (cursor.failed()) return std::nullopt;
  function.program = entry->rest.from(cursor.offset());
  function.program_address = part_address + cursor.offset();
  return function;
}

std::optional<CommonEntry> FrameTable::read_common(u64 offset) const {
  const auto entry = read_entry(sections_, offset);
  if (!entry.has_value() || !entry->is_common) return std::nullopt;
  Cursor cursor(entry->rest);
  const u8 version = cursor.number<u8>();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const std::string_view letters = cursor.text();
  if (version == 4) {
    const u8 address_size = cursor.number<u8>(), segment_size = cursor.number<u8>();
    if (address_size != 8 || segment_size != 0) return std::nullopt;
  }
  CommonEntry common;
  common.code_factor = cursor.uleb();
  common.data_factor = cursor.sleb();
  const u64 return_register = version == 1 ? cursor.number<u8>() : cursor.uleb();
  if (cursor.failed() || return_register > 0xff) return std::nullopt;
  common.return_register = static_cast<u8>(return_register);
  if (!read_augmentation(cursor, letters, sections_.address + entry->begin, common)) return std::nullopt;
  common.program = entry->rest.from(cursor.offset());
  return common;
}

}  // namespace wperf::unwind
