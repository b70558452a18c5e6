// SPDX-License-Identifier: BSD-3-Clause
#include "modules/elf_line_ranges.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wperf::modules {
namespace {

constexpr u32 kMostFunctionBytes = 1 << 16;

// The line of the function itself, not of what was inlined there.
u32 own_line(const profile::AddressAnswer& answer) {
  return answer.frames.empty() ? 0 : answer.frames.back().line;
}

}  // namespace

void add_line_ranges(const LoadedElf& loaded, std::vector<profile::AddressAnswer>& answers) {
  u32 known_begin = 0, known_end = 0;
  std::vector<u32> lines;  // of each byte of the function looked at last
  for (profile::AddressAnswer& answer : answers) {
    const u32 begin = answer.function_begin, end = answer.function_end;
    const bool whole = answer.rva >= begin && answer.rva < end && end - begin <= kMostFunctionBytes;
    if (!whole || own_line(answer) == 0) continue;
    if (begin != known_begin || end != known_end) {
      std::vector<u32> offsets(end - begin);
      std::iota(offsets.begin(), offsets.end(), begin);
      lines.assign(offsets.size(), 0);
      for (const profile::AddressAnswer& one : answers_of(loaded, offsets, true, true)) {
        if (one.rva >= begin && one.rva < end) lines[one.rva - begin] = own_line(one);
      }
      known_begin = begin;
      known_end = end;
    }
    u32 first = answer.rva - begin, last = first;
    while (first > 0 && lines[first - 1] == lines[answer.rva - begin]) --first;
    while (last < lines.size() && lines[last] == lines[answer.rva - begin]) ++last;
    answer.line_begin = begin + first;
    answer.line_end = begin + last;
  }
}

}  // namespace wperf::modules
