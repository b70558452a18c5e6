// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/canonical_code.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace wperf::recording {
namespace {

constexpr u64 kPageBytes = 4096;
constexpr u64 kMostFileBytes = ~u32{0};
// Above all addresses that programs can map; SPE reports 56 bits.
constexpr u64 kSpareBegin = u64{1} << 52;

u64 part_of(u64 offset) {
  return offset / kMostFileBytes;
}

}  // namespace

CanonicalCode::CanonicalCode(const perf_data::ProcessHistory& history) : history_(history), spare_(kSpareBegin) {
  for (u32 code = 0; code < history.codes().size(); ++code) {
    const perf_data::MappedCode& mapped = history.codes()[code];
    if (mapped.is_anonymous) continue;
    place({.code = code, .first = 0, .size = std::min(mapped.mapped_end, kMostFileBytes)}, mapped.home);
  }
  // For code written by a program, the address is used as the offset. Such code differs in each process, so it never
  // keeps its address.
  std::map<std::pair<u32, u64>, std::pair<u64, u64>> written;  // by code and part: first and last byte
  history.for_each_mapping([&](u64 begin, u64 end, u32 code) {
    if (!history.codes()[code].is_anonymous) return;
    for (u64 part = part_of(begin); part <= part_of(end - 1); ++part) {
      const u64 first = std::max(begin, part * kMostFileBytes);
      const u64 last = std::min(end - 1, part * kMostFileBytes + kMostFileBytes - 1);
      const auto [entry, is_new] = written.try_emplace({code, part}, first, last);
      entry->second = {std::min(entry->second.first, first), std::max(entry->second.second, last)};
      if (part - part_of(begin) > 16) break;  // no program writes that much code
    }
  });
  for (const auto& [key, bytes] : written) {
    place({.code = key.first, .first = bytes.first, .size = bytes.second - bytes.first + 1}, ~u64{0});
  }
}

// The first file keeps its address; a file that would overlap it is moved.
void CanonicalCode::place(CanonicalFile file, u64 wanted) {
  file.base = wanted;
  const u64 end = file.base + file.size;
  const auto next = taken_.lower_bound(file.base);
  const bool meets_next = next != taken_.end() && next->first < end;
  const bool meets_previous = next != taken_.begin() && std::prev(next)->second > file.base;
  if (meets_next || meets_previous || end < file.base || end > kSpareBegin) {
    file.base = spare_;
    spare_ += (file.size + 2 * kPageBytes - 1) & ~(kPageBytes - 1);
  }
  if (file.base + file.size > kNowhere) return;  // there is no free address for it
  taken_[file.base] = file.base + file.size;
  numbers_[{file.code, part_of(file.first)}] = static_cast<u32>(files_.size());
  files_.push_back(file);
}

const CanonicalFile* CanonicalCode::find(const perf_data::CodePlace& place) const {
  if (place.code == perf_data::kNoCode) return nullptr;
  const u64 part = history_.codes()[place.code].is_anonymous ? part_of(place.offset) : 0;
  const auto found = numbers_.find({place.code, part});
  if (found == numbers_.end()) return nullptr;
  const CanonicalFile& file = files_[found->second];
  return place.offset - file.first < file.size ? &file : nullptr;
}

void CanonicalAddresses::look_up(u32 space, u64 address, Known& known) const {
  const perf_data::CodePlace place = code_.history().place_in(space, address);
  const CanonicalFile* file = code_.find(place);
  if (file == nullptr) {
    known = {space, address, address + 1, address < CanonicalCode::kNowhere ? CanonicalCode::kNowhere : 0};
    return;
  }
  const u64 into = place.offset - file->first;
  known = {space, address - std::min(into, address - place.mapped_from),
           address + std::min(file->size - into, place.mapped_to - address), file->base + into - address};
}

}  // namespace wperf::recording
