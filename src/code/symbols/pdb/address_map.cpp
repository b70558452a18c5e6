// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/address_map.h"

#include <algorithm>

#include "code/ordered.h"

namespace wperf::symbols::pdb {
namespace {

constexpr u64 kMostSections = 0xfffe;

std::optional<u32> translate(const bytes::Table<OmapEntry>& omap, u32 rva) {
  if (omap.size() == 0) return rva;
  const u64 after = omap.partition_point([&](const OmapEntry& entry) { return entry.from <= rva; });
  if (after == 0) return std::nullopt;
  const OmapEntry entry = omap.at(after - 1);
  const u64 to = u64{entry.to} + (rva - entry.from);
  if (entry.to == 0 || to > 0xffffffff) return std::nullopt;
  return static_cast<u32>(to);
}

}  // namespace

AddressMap::AddressMap(bytes::View sections, bytes::View original_sections, bytes::View omap_from_source,
                       bytes::View omap_to_source)
    : from_source_(omap_from_source), to_source_(omap_to_source) {
  const bool is_moved = original_sections.size() >= sizeof(SectionHeader) && from_source_.size() != 0;
  headers_ = bytes::Table<SectionHeader>(is_moved ? original_sections : sections);
  source_sections_ = read_sections(is_moved ? original_sections : sections);
  if (is_moved) image_sections_ = read_sections(sections);
}

std::vector<AddressMap::Section> AddressMap::read_sections(bytes::View headers) {
  const bytes::Table<SectionHeader> table(headers);
  std::vector<Section> result;
  for (u64 i = 0; i < std::min(table.size(), kMostSections); ++i) {
    const SectionHeader header = table.at(i);
    result.push_back({header.rva, std::max(header.virtual_size, header.raw_size), static_cast<u16>(i + 1),
                      (header.characteristics & kSectionExecutable) != 0});
  }
  code::order_by(result, [](const Section& one) { return one.rva; });
  return result;
}

const AddressMap::Section* AddressMap::find(const std::vector<Section>& by_rva, u32 rva) {
  const auto after =
      std::partition_point(by_rva.begin(), by_rva.end(), [&](const Section& section) { return section.rva <= rva; });
  if (after == by_rva.begin()) return nullptr;
  const Section& section = *(after - 1);
  return rva - section.rva < section.size ? &section : nullptr;
}

std::optional<SourceRva> AddressMap::source(u16 section, u32 offset) const {
  if (section == 0 || section > headers_.size()) return std::nullopt;
  const u64 rva = u64{headers_.at(section - 1U).rva} + offset;
  if (rva > 0xffffffff) return std::nullopt;
  return static_cast<u32>(rva);
}

std::optional<AddressMap::Place> AddressMap::place(SourceRva rva) const {
  const Section* section = find(source_sections_, rva);
  if (section == nullptr) return std::nullopt;
  return Place{section->number, rva - section->rva};
}

std::optional<code::Rva> AddressMap::image(SourceRva rva) const {
  const auto to = translate(from_source_, rva);
  if (!to.has_value()) return std::nullopt;
  return code::Rva{*to};
}

std::optional<SourceRva> AddressMap::source(code::Rva rva) const {
  return translate(to_source_, rva.value);
}

u16 AddressMap::section_of(code::Rva rva) const {
  const Section* section = find(image_sections_.empty() ? source_sections_ : image_sections_, rva.value);
  return section == nullptr ? u16{0} : section->number;
}

bool AddressMap::is_executable(code::Rva rva) const {
  const Section* section = find(image_sections_.empty() ? source_sections_ : image_sections_, rva.value);
  return section != nullptr && section->is_executable;
}

}  // namespace wperf::symbols::pdb
