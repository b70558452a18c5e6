// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/elf_file.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "code/symbols/elf/decompression.h"
#include "code/symbols/elf/elf_format.h"
#include "ground/bytes/hexadecimal.h"

namespace wperf::symbols {

struct ElfFile::State {
  EndianBytes file;
  bool is_64_bit = false;
  u16 machine = 0, type = 0;
  u64 entry = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSegment> segments;
  Bytes build_id;
  std::map<u64, std::vector<std::byte>> unpacked;  // keyed by offset in the file
};

namespace {

constexpr u64 kUnpackedLimit = u64{4} << 30;
constexpr u64 kLargestRatio = 1100;  // zlib reaches 1032

diag::Error not_elf(std::string why) {
  return {.text = std::move(why), .hint = {}, .code = diag::ExitCode::damaged_input};
}

bool is_impossible(u64 unpacked_size, EndianBytes stream) {
  return unpacked_size > kUnpackedLimit || unpacked_size / kLargestRatio > stream.size();
}

diag::Error impossible_size(std::string_view section) {
  return not_elf(fmt::format("the compressed section {} claims an impossible size", section));
}

struct HeaderTables {
  u64 segments = 0, sections = 0;  // offsets
  u64 segment_count = 0, section_count = 0, names_section = 0;
  u16 segment_size = 0, section_size = 0;
};

// Reads the fields of a header in order; address fields have 4 or 8 bytes.
class FieldReader {
 public:
  FieldReader(EndianBytes bytes, bool is_64_bit) : bytes_(bytes), is_64_bit_(is_64_bit) {}
  u16 half() { return take<u16>(); }
  u32 word() { return take<u32>(); }
  u64 address() { return is_64_bit_ ? take<u64>() : take<u32>(); }
  bool is_64_bit() const { return is_64_bit_; }

 private:
  template <typename T>
  T take() {
    const T value = bytes_.at_or_zero<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  EndianBytes bytes_;
  bool is_64_bit_;
  u64 at_ = 0;
};

ElfSection read_section(FieldReader fields, u32& name) {
  ElfSection section;
  name = fields.word();
  section.type = fields.word();
  section.flags = fields.address();
  section.address = fields.address();
  section.offset = fields.address();
  section.size = fields.address();
  section.link = fields.word();
  section.info = fields.word();
  fields.address();  // alignment
  section.entry_size = fields.address();
  return section;
}

ElfSegment read_segment(FieldReader fields) {
  ElfSegment segment;
  segment.type = fields.word();
  if (fields.is_64_bit()) segment.flags = fields.word();
  segment.offset = fields.address();
  segment.address = fields.address();
  fields.address();  // skips the physical address
  segment.file_size = fields.address();
  segment.memory_size = fields.address();
  if (!fields.is_64_bit()) segment.flags = fields.word();
  return segment;
}

// The content of the first GNU note with this type.
Bytes gnu_note(EndianBytes notes, u32 type) {
  u64 at = 0;
  u32 name_size = 0, desc_size = 0, note_type = 0;
  while (notes.load(at, name_size) && notes.load(at + 4, desc_size) && notes.load(at + 8, note_type)) {
    const u64 name_at = at + 12;
    const u64 desc_at = name_at + ((u64{name_size} + 3) & ~u64{3});
    if (!notes.holds(desc_at, desc_size)) break;
    if (note_type == type && name_size == 4 && notes.text(name_at).value_or("") == "GNU") {
      return notes.slice(desc_at, desc_size).span();
    }
    at = desc_at + ((u64{desc_size} + 3) & ~u64{3});
  }
  return {};
}

Bytes find_build_id(const ElfFile& file, EndianBytes whole) {
  for (const ElfSection& section : file.sections()) {
    if (section.type != elf::kSectionNote) continue;
    if (const Bytes id = gnu_note(file.stored(section), elf::kNoteBuildId); !id.empty()) return id;
  }
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != elf::kSegmentNote) continue;
    const Bytes id = gnu_note(whole.slice(segment.offset, segment.file_size), elf::kNoteBuildId);
    if (!id.empty()) return id;
  }
  return {};
}

std::array<u32, 256> make_crc_table() {
  std::array<u32, 256> table{};
  for (u32 i = 0; i < table.size(); ++i) {
    u32 value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
    table[i] = value;
  }
  return table;
}

}  // namespace

ElfFile::ElfFile() : state_(std::make_unique<State>()) {}
ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&&) noexcept = default;
ElfFile::~ElfFile() = default;

diag::Result<ElfFile> ElfFile::parse(Bytes bytes) {
  const EndianBytes start(bytes, false);
  if (start.at_or_zero<u32>(0) != 0x464c457fu) return not_elf("not an ELF file");
  const u8 file_class = start.at_or_zero<u8>(4), order = start.at_or_zero<u8>(5);
  if ((file_class != elf::kClass32 && file_class != elf::kClass64) ||
      (order != elf::kLittleEndian && order != elf::kBigEndian)) {
    return not_elf("an ELF file of an unknown kind");
  }
  ElfFile out;
  State& state = *out.state_;
  state.is_64_bit = file_class == elf::kClass64;
  state.file = EndianBytes(bytes, order == elf::kBigEndian);
  const EndianBytes& file = state.file;
  if (!file.holds(0, state.is_64_bit ? 64 : 52)) return not_elf("this ELF file is truncated in its header");

  FieldReader header(file.from(16), state.is_64_bit);
  HeaderTables tables;
  state.type = header.half();
  state.machine = header.half();
  header.word();  // version
  state.entry = header.address();
  tables.segments = header.address();
  tables.sections = header.address();
  header.word();  // flags
  header.half();  // skips the size of this header
  tables.segment_size = header.half();
  tables.segment_count = header.half();
  tables.section_size = header.half();
  tables.section_count = header.half();
  tables.names_section = header.half();

  const u16 least_section = state.is_64_bit ? 64 : 40, least_segment = state.is_64_bit ? 56 : 32;
  std::vector<u32> names;
  if (tables.sections != 0 && tables.section_size >= least_section) {
    u32 name = 0;
    // Counts that do not fit into the header are in the header of section 0.
    const ElfSection first = read_section({file.from(tables.sections), state.is_64_bit}, name);
    if (tables.section_count == 0) tables.section_count = first.size;
    if (tables.names_section == elf::kIndexExtended) tables.names_section = first.link;
    if (tables.segment_count == elf::kIndexExtended) tables.segment_count = first.info;
    const EndianBytes all = file.from(tables.sections);
    const u64 count = std::min(tables.section_count, all.size() / tables.section_size);
    for (u64 i = 0; i < count; ++i) {
      state.sections.push_back(read_section({all.from(i * tables.section_size), state.is_64_bit}, name));
      names.push_back(name);
    }
  }
  if (tables.names_section < state.sections.size()) {
    const EndianBytes text = out.stored(state.sections[static_cast<usize>(tables.names_section)]);
    for (usize i = 0; i < names.size(); ++i) state.sections[i].name = text.text(names[i]).value_or("");
  }
  if (tables.segments != 0 && tables.segment_size >= least_segment) {
    const EndianBytes all = file.from(tables.segments);
    const u64 count = std::min(tables.segment_count, all.size() / tables.segment_size);
    for (u64 i = 0; i < count; ++i) {
      state.segments.push_back(read_segment({all.from(i * tables.segment_size), state.is_64_bit}));
    }
  }
  state.build_id = find_build_id(out, file);
  return out;
}

u64 ElfFile::entry() const {
  return state_->entry;
}

u16 ElfFile::machine() const {
  return state_->machine;
}
u16 ElfFile::type() const {
  return state_->type;
}
bool ElfFile::is_64_bit() const {
  return state_->is_64_bit;
}
bool ElfFile::big_endian() const {
  return state_->file.big_endian();
}
std::span<const ElfSection> ElfFile::sections() const {
  return state_->sections;
}
std::span<const ElfSegment> ElfFile::segments() const {
  return state_->segments;
}
Bytes ElfFile::build_id() const {
  return state_->build_id;
}

const ElfSection* ElfFile::section(std::string_view name) const {
  for (const ElfSection& section : state_->sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

EndianBytes ElfFile::stored(const ElfSection& section) const {
  if (section.type == elf::kSectionNoBits) return state_->file.slice(0, 0);
  return state_->file.slice(section.offset, section.size);
}

diag::Result<EndianBytes> ElfFile::contents(const ElfSection& section) const {
  const EndianBytes packed = stored(section);
  const bool elder = section.name.substr(0, 7) == ".zdebug";
  if ((section.flags & elf::kFlagCompressed) == 0 && !elder) return packed;
  if (const auto known = state_->unpacked.find(section.offset); known != state_->unpacked.end()) {
    return EndianBytes(known->second, big_endian());
  }
  const auto keep = [&](std::vector<std::byte> bytes) {
    const std::vector<std::byte>& kept = state_->unpacked[section.offset] = std::move(bytes);
    return EndianBytes(kept, big_endian());
  };
  if (elder) {
    WPERF_TRY(std::vector<std::byte> bytes, unpack_zdebug_section(packed.span(), section.name));
    return keep(std::move(bytes));
  }
  FieldReader header(packed, state_->is_64_bit);
  const u32 method = header.word();
  if (state_->is_64_bit) header.word();
  const u64 size = header.address();
  const EndianBytes stream = packed.from(state_->is_64_bit ? 24 : 12);
  if (is_impossible(size, stream)) return impossible_size(section.name);
  if (method != elf::kCompressionZlib && method != elf::kCompressionZstd) {
    return not_elf(fmt::format("the section {} is compressed in an unknown way ({})", section.name, method));
  }
  WPERF_TRY(std::vector<std::byte> bytes, method == elf::kCompressionZlib ? elf::unpack_zlib(stream.span(), size)
                                                                          : elf::unpack_zstd(stream.span(), size));
  return keep(std::move(bytes));
}

EndianBytes ElfFile::contents(std::string_view name) const {
  const EndianBytes none({}, big_endian());
  const ElfSection* found = section(name);
  if (found == nullptr && name.substr(0, 7) == ".debug_") found = section(".z" + std::string(name.substr(1)));
  if (found == nullptr) return none;
  const auto bytes = contents(*found);
  return bytes.has_value() ? bytes.value() : none;
}

std::optional<ElfDebugLink> ElfFile::debug_link() const {
  const ElfSection* found = section(".gnu_debuglink");
  if (found == nullptr) return std::nullopt;
  const EndianBytes bytes = stored(*found);
  const auto name = bytes.text(0);
  if (!name.has_value() || name->empty()) return std::nullopt;
  ElfDebugLink link{*name, 0};
  if (!bytes.load((name->size() + 4) & ~u64{3}, link.crc)) return std::nullopt;
  return link;
}

std::optional<ElfAlternateLink> ElfFile::alternate_link() const {
  const ElfSection* found = section(".gnu_debugaltlink");
  if (found == nullptr) return std::nullopt;
  const EndianBytes bytes = stored(*found);
  const auto name = bytes.text(0);
  if (!name.has_value() || name->empty()) return std::nullopt;
  return ElfAlternateLink{*name, bytes.from(name->size() + 1).span()};
}

diag::Result<std::optional<std::vector<std::byte>>> ElfFile::embedded_debug_file() const {
  const ElfSection* found = section(".gnu_debugdata");
  if (found == nullptr) return std::optional<std::vector<std::byte>>();
  const Bytes packed = stored(*found).span();
  constexpr u64 kXzRatio = 8192, kEmbeddedLimit = u64{1} << 30;
  WPERF_TRY(auto bytes, elf::unpack_xz(packed, std::min(kEmbeddedLimit, packed.size() * kXzRatio)));
  return std::optional<std::vector<std::byte>>(std::move(bytes));
}

std::optional<u64> ElfFile::address_of_offset(u64 offset) const {
  for (const ElfSegment& segment : state_->segments) {
    if (segment.type == elf::kSegmentLoad && offset >= segment.offset && offset - segment.offset < segment.file_size) {
      return segment.address + (offset - segment.offset);
    }
  }
  return std::nullopt;
}

std::optional<u64> ElfFile::offset_of_address(u64 address) const {
  for (const ElfSegment& segment : state_->segments) {
    if (segment.type == elf::kSegmentLoad && address >= segment.address &&
        address - segment.address < segment.file_size) {
      return segment.offset + (address - segment.address);
    }
  }
  return std::nullopt;
}

std::string build_id_text(Bytes build_id) {
  return bytes::hexadecimal(build_id);
}

diag::Result<std::vector<std::byte>> unpack_zdebug_section(Bytes section, std::string_view name) {
  // "ZLIB", the size in big-endian order, then the stream
  const EndianBytes packed(section, true);
  const u64 size = packed.at_or_zero<u64>(4);
  const EndianBytes stream = packed.from(12);
  if (is_impossible(size, stream)) return impossible_size(name);
  return elf::unpack_zlib(stream.span(), size);
}

u32 debug_link_crc(Bytes file) {
  static const std::array<u32, 256> table = make_crc_table();
  u32 crc = 0xffffffffu;
  for (const std::byte one : file) crc = table[(crc ^ std::to_integer<u32>(one)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace wperf::symbols
