// SPDX-License-Identifier: BSD-3-Clause
// The only code that touches the raw bytes of a PE file: reads at file offsets and, once sections are known, at
// relative virtual addresses, all bounds-checked.
#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/ints.h"
#include "sim/nt/pe_image.h"

namespace wperf::sim {

class PeBytes {
 public:
  PeBytes(std::span<const std::byte> file, const PeImage& image) : file_(file), image_(image) {}

  template <class T>
  [[nodiscard]] bool at_offset(u64 offset, T& out) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > file_.size() || file_.size() - offset < sizeof(T)) return false;
    std::memcpy(&out, file_.data() + offset, sizeof(T));
    return true;
  }

  // Finds the file offset of an RVA whose byte is stored in the file, and the number of stored bytes from there on in
  // the same piece.
  [[nodiscard]] bool locate(u64 rva, u64& offset, u64& available) const {
    if (rva < image_.headers_size) {
      offset = rva;
      available = image_.headers_size - rva;
      return true;
    }
    const auto after = std::upper_bound(image_.sections.begin(), image_.sections.end(), rva,
                                        [](u64 wanted, const PeSection& section) { return wanted < section.rva; });
    if (after == image_.sections.begin()) return false;
    const PeSection& section = *(after - 1);
    if (rva - section.rva >= section.file_size) return false;
    offset = section.file_offset + (rva - section.rva);
    available = section.file_size - (rva - section.rva);
    return true;
  }

  template <class T>
  [[nodiscard]] bool at_rva(u64 rva, T& out) const {
    u64 offset = 0;
    u64 available = 0;
    return locate(rva, offset, available) && available >= sizeof(T) && at_offset(offset, out);
  }

  // A zero-terminated name of printable characters, 1 to 511 of them.
  [[nodiscard]] bool name_at(u64 rva, std::string& out) const {
    u64 offset = 0;
    u64 available = 0;
    if (!locate(rva, offset, available)) return false;
    const u64 limit = std::min<u64>(available, kLongestName + 1);
    for (u64 length = 0; length < limit; ++length) {
      const auto character = std::to_integer<u8>(file_[offset + length]);
      if (character == 0) {
        out.assign(reinterpret_cast<const char*>(file_.data() + offset), length);
        return length != 0;
      }
      if (character < 0x20 || character == 0x7f) return false;
    }
    return false;
  }

  // Whether [rva, rva + size) lies inside one mapped section (stored in the file or zero-filled).
  [[nodiscard]] bool is_mapped(u64 rva, u64 size) const {
    for (const PeSection& section : image_.sections) {
      if (rva < section.rva || rva - section.rva >= section.mapped_size) continue;
      return size <= section.mapped_size - (rva - section.rva);
    }
    return false;
  }

 private:
  static constexpr u64 kLongestName = 4096;  // the longest that Visual C++ makes
  std::span<const std::byte> file_;
  const PeImage& image_;
};

struct PeDirectory {
  u32 rva = 0, size = 0;
};

// The directories of the optional header; each parser has its own file. Returns an empty text, or the predicate of an
// error sentence.
[[nodiscard]] std::string parse_exports(const PeBytes& bytes, PeDirectory at, std::vector<PeExport>& out);
[[nodiscard]] std::string parse_relocations(const PeBytes& bytes, PeDirectory at, std::vector<u32>& out);

}  // namespace wperf::sim
