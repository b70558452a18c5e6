// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/image_dwarf.h"

#include <algorithm>
#include <utility>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {
namespace {

const Section* plain_or_packed(const PeFile& image, const std::string& name) {
  const Section* const plain = image.section(name);
  return plain != nullptr ? plain : image.section(".z" + name.substr(1));
}

}  // namespace

bool has_dwarf(const PeFile& image) {
  return plain_or_packed(image, ".debug_info") != nullptr;
}

std::optional<ImageDwarf> ImageDwarf::open(const PeFile& image) {
  if (!has_dwarf(image)) return std::nullopt;
  return ImageDwarf(image);
}

ImageDwarf::ImageDwarf(const PeFile& image) : base_(image.image_base()) {
  sections_ = sections_by_name([&](const char* name) { return contents(image, name); });
}

const DwarfFile& ImageDwarf::file() const {
  if (!file_.has_value()) file_ = DwarfFile::open(sections_, {}, {});
  return *file_;
}

EndianBytes ImageDwarf::contents(const PeFile& image, const std::string& name) {
  const Section* const section = plain_or_packed(image, name);
  if (section == nullptr) return {};
  const std::span<const std::byte> stored = image.section_bytes(*section);
  if (stored.size() < section->stored_size()) damage_ = "its DWARF is cut off: the file ends within " + section->name;
  if (section->name == name) return {stored, false};
  auto unpacked = unpack_zdebug_section(stored, section->name);
  if (!unpacked.has_value()) {
    damage_ = "its DWARF is not read: " + unpacked.error().text;
    return {};
  }
  unpacked_.push_back(std::move(unpacked).value());
  return {unpacked_.back(), false};
}

void ImageDwarf::frames_at(code::Rva rva, std::vector<DwarfFrame>& out, bool declarations) const {
  file().frames_at(base_ + rva.value, out, declarations);
}

std::vector<code::AddressRange> ImageDwarf::pieces_at(code::Rva rva) const {
  return file().pieces_at(base_ + rva.value);
}

std::optional<ImageDwarf::Function> ImageDwarf::function_at(code::Rva rva) const {
  const auto found = file().function_at(base_ + rva.value);
  if (!found.has_value()) return std::nullopt;
  // Damaged ranges may be larger than an image can be.
  constexpr u64 kMostOfImage = ~u32{0};
  const u64 begin = std::max(found->begin, base_) - base_;
  const u64 end = found->end > base_ ? std::min(found->end - base_, kMostOfImage) : 0;
  if (rva.value < begin || rva.value >= end) return std::nullopt;
  return Function{.range = {{static_cast<u32>(begin)}, {static_cast<u32>(end)}}, .name = found->name};
}

}  // namespace wperf::symbols
