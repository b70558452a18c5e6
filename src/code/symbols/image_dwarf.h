// SPDX-License-Identifier: BSD-3-Clause
// DWARF in the sections of a PE image, as written by compilers for MinGW, zig, Go and Rust's gnu targets. Its addresses
// assume that the image is at its preferred base. Opens no files. Not thread-safe.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "code/address.h"
#include "code/symbols/dwarf/dwarf_file.h"
#include "code/symbols/pe/pe_file.h"

namespace wperf::symbols {

bool has_dwarf(const PeFile& image);

class ImageDwarf {
 public:
  // Returns nullopt if the image has no DWARF. The bytes of the image must outlive this object.
  static std::optional<ImageDwarf> open(const PeFile& image);

  // See DwarfFile.
  void frames_at(code::Rva rva, std::vector<DwarfFrame>& out, bool declarations) const;
  std::vector<code::AddressRange> pieces_at(code::Rva rva) const;  // at linked addresses
  struct Function {
    code::RvaRange range;
    std::string_view name;
  };
  std::optional<Function> function_at(code::Rva rva) const;
  // Why a part of the DWARF is missing; empty if it is complete.
  const std::string& damage() const { return damage_; }

 private:
  explicit ImageDwarf(const PeFile& image);
  EndianBytes contents(const PeFile& image, const std::string& name);

  const DwarfFile& file() const;  // opened when first used

  u64 base_ = 0;
  std::vector<std::vector<std::byte>> unpacked_;
  DwarfSections sections_;
  std::string damage_;
  mutable std::optional<DwarfFile> file_;
};

}  // namespace wperf::symbols
