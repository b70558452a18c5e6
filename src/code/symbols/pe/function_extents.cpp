// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/function_extents.h"

#include <algorithm>
#include <cstdint>

#include "code/symbols/pe/arm64_unwind.h"

namespace wperf::symbols {
namespace {

// A function must be in code that the image contains.
bool is_code(const ImageBytes& image, u32 begin, u32 end) {
  if (begin >= end) return false;
  const Section* section = image.section_at(begin);
  if (section == nullptr || !section->executable()) return false;
  return end - section->rva <= std::max(section->virtual_size, section->file_size);
}

struct X64Record {
  u32 begin, end, unwind;
};

// UNWIND_INFO: version and flags, size of the prologue, number of codes, frame register; the codes, padded to an even
// number; then, for chained information, the record that this record continues.
std::optional<X64Record> continued_record(const ImageBytes& image, const X64Record& record) {
  constexpr u32 kIndirect = 1;
  constexpr u8 kChained = 0x20;
  X64Record out{};
  if ((record.unwind & kIndirect) != 0) {
    if (!bytes::read_at(image.from(record.unwind & ~kIndirect), 0, out)) return std::nullopt;
    return out;
  }
  const Bytes info = image.from(record.unwind);
  u8 header[4];
  if (!bytes::read_at(info, 0, header) || (header[0] & kChained) == 0) return std::nullopt;
  const u32 codes = (header[2] + 1u) & ~1u;
  if (!bytes::read_at(info, sizeof header + codes * 2, out)) return std::nullopt;
  return out;
}

// The beginning of the function that the record belongs to.
u32 find_primary(const ImageBytes& image, const X64Record& record) {
  constexpr int kLongestChain = 32;
  X64Record at = record;
  for (int i = 0; i < kLongestChain; ++i) {
    const std::optional<X64Record> next = continued_record(image, at);
    if (!next.has_value()) break;
    at = *next;
  }
  return at.begin;
}

}  // namespace

void read_arm64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out) {
  struct Record {
    u32 begin, unwind_word;
  };
  out.reserve(out.size() + directory.size() / sizeof(Record));
  Record record{};
  for (u64 at = 0; bytes::read_at(directory, at, record); at += sizeof record) {
    const std::optional<u32> length = arm64_function_length(image, record.unwind_word);
    if (!length.has_value() || *length > ~record.begin || !is_code(image, record.begin, record.begin + *length))
      continue;
    out.push_back({{{record.begin}, {record.begin + *length}}, record.unwind_word});
  }
}

void read_x64_exceptions(const ImageBytes& image, Bytes directory, std::vector<ExceptionRecord>& out) {
  out.reserve(out.size() + directory.size() / sizeof(X64Record));
  X64Record record{};
  u32 last_primary = 0;
  for (u64 at = 0; bytes::read_at(directory, at, record); at += sizeof record) {
    if (!is_code(image, record.begin, record.end)) continue;
    const u32 primary = find_primary(image, record);
    const bool continues = !out.empty() && primary != record.begin && primary == last_primary;
    if (continues && record.begin <= out.back().range.end.value) {
      out.back().range.end.value = std::max(out.back().range.end.value, record.end);
      continue;
    }
    last_primary = primary;
    out.push_back({{{record.begin}, {record.end}}, kX64Unwind});
  }
}

usize function_after(std::span<const code::RvaRange> functions, code::Rva rva) {
  const auto after =
      std::upper_bound(functions.begin(), functions.end(), rva,
                       [](code::Rva wanted, const code::RvaRange& range) { return wanted < range.begin; });
  return static_cast<usize>(after - functions.begin());
}

usize find_function(std::span<const code::RvaRange> functions, code::Rva rva) {
  const usize after = function_after(functions, rva);
  return after == 0 || !functions[after - 1].contains(rva) ? functions.size() : after - 1;
}

namespace {

constexpr u32 kInstructionBytes = 4;
constexpr u64 kLongestFunction = 1 << 20;

// The signed number of instructions in `count` bits from bit `low` on.
std::int64_t distance(u32 word, u32 low, u32 count) {
  const u64 bits = word >> low & ((u64{1} << count) - 1);
  const u64 sign = u64{1} << (count - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign) * kInstructionBytes;
}

bool is_branch(u32 word) {
  return (word & 0xfc000000u) == 0x14000000u;  // B
}

// The distance of a branch within the function; 0 if the instruction does not branch within the function.
std::int64_t jump_of(u32 word) {
  if (is_branch(word)) return distance(word, 0, 26);
  if ((word & 0xff000000u) == 0x54000000u) return distance(word, 5, 19);  // B.cond, BC.cond
  if ((word & 0x7e000000u) == 0x34000000u) return distance(word, 5, 19);  // CBZ, CBNZ
  if ((word & 0x7e000000u) == 0x36000000u) return distance(word, 5, 14);  // TBZ, TBNZ
  return 0;
}

// BRK or UDF. Zeros are a UDF.
bool is_trap(u32 word) {
  return (word & 0xffe0001fu) == 0xd4200000u || word >> 16 == 0;
}

// Instructions after which execution never continues: RET and BR with or without pointer authentication, B and
// traps.
bool leaves(u32 word) {
  const bool to_register = (word & 0xfe9ff000u) == 0xd61f0000u && (word & 0x00600000u) != 0x00200000u;
  return to_register || is_branch(word) || is_trap(word);
}

// Fills the space between functions.
bool is_padding(u32 word) {
  constexpr u32 kNop = 0xd503201f;
  return word == kNop || is_trap(word);
}

}  // namespace

u32 arm64_flow_length(Bytes code) {
  const u64 end = std::min<u64>(code.size(), kLongestFunction);
  std::int64_t reached = 0;  // the farthest target of a branch so far
  u32 word = 0;
  u64 at = 0;
  for (; at + kInstructionBytes <= end && bytes::read_at(code, at, word); at += kInstructionBytes) {
    const std::int64_t here = static_cast<std::int64_t>(at);
    // A branch that leaves the known range is a jump to another function.
    const std::int64_t target = here + jump_of(word);
    if (target < static_cast<std::int64_t>(end) && !(is_branch(word) && here >= reached))
      reached = std::max(reached, target);
    if (leaves(word) && here >= reached) return static_cast<u32>(at + kInstructionBytes);
  }
  return static_cast<u32>(at);
}

void append_arm64_functions(Bytes code, code::Rva begin, std::vector<code::RvaRange>& out) {
  u32 word = 0;
  for (u64 at = -begin.value % kInstructionBytes; bytes::read_at(code, at, word);) {
    if (is_padding(word)) {
      at += kInstructionBytes;
      continue;
    }
    const u32 length = arm64_flow_length(code.subspan(at)), start = static_cast<u32>(begin.value + at);
    out.push_back({{start}, {start + length}});
    at += length;
  }
}

}  // namespace wperf::symbols
