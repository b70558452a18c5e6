// SPDX-License-Identifier: BSD-3-Clause
// The only code that touches the raw bytes of a PE file: integers at checked offsets, and file bytes by RVA. Used by
// the files of this room; PE images are little-endian, as is every machine we run on.
#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "symbols/pe/pe_file.h"

namespace wperf::symbols {

using Bytes = std::span<const std::byte>;

// What starts at `offset`; empty when that is beyond the end.
inline Bytes tail(Bytes bytes, u64 offset) {
  return offset <= bytes.size() ? bytes.subspan(static_cast<usize>(offset)) : Bytes{};
}

// A number, or a struct of numbers without holes.
template <class T>
[[nodiscard]] bool read_at(Bytes bytes, u64 offset, T& out) {
  static_assert(std::has_unique_object_representations_v<T>);
  const Bytes from = tail(bytes, offset);
  if (from.size() < sizeof(T)) return false;
  std::memcpy(&out, from.data(), sizeof(T));
  return true;
}

// The characters up to a zero byte; empty when none comes within `limit`.
inline std::string_view text_at(Bytes bytes, u64 offset, usize limit) {
  const Bytes from = tail(bytes, offset);
  const Bytes field = from.first(std::min(from.size(), limit));
  const auto* begin = reinterpret_cast<const char*>(field.data());
  const void* end = field.empty() ? nullptr : std::memchr(begin, 0, field.size());
  if (end == nullptr) return {};
  return {begin, static_cast<usize>(static_cast<const char*>(end) - begin)};
}

// A PE file as the loader would lay it out, as far as its bytes are stored.
class ImageBytes {
 public:
  ImageBytes(Bytes file, const std::vector<Section>& sections, u32 headers_size)
      : file_(file), sections_(sections), headers_size_(headers_size) {}

  // The section around an RVA, stored or zero-filled; null outside of all.
  const Section* section_at(u32 rva) const {
    const auto after = std::upper_bound(sections_.begin(), sections_.end(), rva,
                                        [](u32 wanted, const Section& section) { return wanted < section.rva; });
    if (after == sections_.begin()) return nullptr;
    const Section& section = *(after - 1);
    return rva - section.rva < std::max(section.virtual_size, section.file_size) ? &section : nullptr;
  }

  // Every stored byte from an RVA to the end of its section (or of the headers).
  Bytes from(u32 rva) const {
    if (rva < headers_size_) return tail(file_.first(std::min<usize>(file_.size(), headers_size_)), rva);
    const Section* section = section_at(rva);
    if (section == nullptr) return {};
    const Bytes stored = tail(file_, section->file_offset);
    return tail(stored.first(std::min<usize>(stored.size(), section->file_size)), rva - section->rva);
  }

 private:
  Bytes file_;
  const std::vector<Section>& sections_;
  u32 headers_size_;
};

}  // namespace wperf::symbols
