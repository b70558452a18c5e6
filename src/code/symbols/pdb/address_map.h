// SPDX-License-Identifier: BSD-3-Clause
// Three kinds of address: section and offset, as in symbols; the RVA that the linker assigned ("source"); and the RVA
// in the image. The RVAs differ only if a tool moved code after linking and wrote tables of the moves (OMAP).
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "base/ints.h"
#include "code/address.h"
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

using SourceRva = u32;

class AddressMap {
 public:
  AddressMap() = default;
  // The bytes of these streams; empty if the PDB does not have them. `original_sections` exists only together with OMAP
  // tables.
  AddressMap(bytes::View sections, bytes::View original_sections, bytes::View omap_from_source,
             bytes::View omap_to_source);

  struct Place {
    u16 section;  // from 1
    u32 offset;
  };
  std::optional<SourceRva> source(u16 section, u32 offset) const;
  std::optional<Place> place(SourceRva rva) const;
  // Returns nullopt if the code exists in only one of the two address spaces.
  std::optional<code::Rva> image(SourceRva rva) const;
  std::optional<SourceRva> source(code::Rva rva) const;
  // The section of an address in the image; 0 if there is none.
  u16 section_of(code::Rva rva) const;
  bool is_executable(code::Rva rva) const;

 private:
  struct Section {
    u32 rva;
    u32 size;
    u16 number;
    bool is_executable;
  };
  static std::vector<Section> read_sections(bytes::View headers);
  static const Section* find(const std::vector<Section>& by_rva, u32 rva);

  bytes::Table<SectionHeader> headers_;
  std::vector<Section> source_sections_;  // ordered by RVA
  std::vector<Section> image_sections_;   // ordered by RVA; empty if equal to source_sections_
  bytes::Table<OmapEntry> from_source_;
  bytes::Table<OmapEntry> to_source_;
};

}  // namespace wperf::symbols::pdb
