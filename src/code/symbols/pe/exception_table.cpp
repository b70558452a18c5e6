// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/exception_table.h"

#include "code/symbols/pe/arm64_unwind.h"

namespace wperf::symbols {
namespace {

// Where a function lies must be code that the image has.
bool is_code(const ImageBytes& image, u32 begin, u32 end) {
  if (begin >= end) return false;
  const Section* section = image.section_at(begin);
  if (section == nullptr || !section->executable()) return false;
  return end - section->rva <= std::max(section->virtual_size, section->file_size);
}

struct X64Record {
  u32 begin, end, unwind;
};

// UNWIND_INFO: version and flags, size of prologue, count of codes, frame register; the codes, padded to an even count;
// then, for chained ones, the record that is continued.
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

// Begin of the function that a record belongs to.
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

}  // namespace wperf::symbols
