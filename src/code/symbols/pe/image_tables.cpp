// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/image_tables.h"

#include <tuple>

namespace wperf::symbols {
namespace {

constexpr usize kLongestName = 4096;  // of a symbol; no undecorated Microsoft name is longer
constexpr usize kLongestPath = 32768;
constexpr usize kLongestCoffName = 65536;  // of C++ and Rust symbols, whose names contain types of templates

struct DebugEntry {
  u32 characteristics, time_stamp, version, type, size, rva, file_offset;
};

// "RSDS", GUID, age, path.
std::optional<CodeView> read_rsds(Bytes record) {
  constexpr u32 kRsds = 0x53445352;
  u32 signature = 0;
  CodeView out;
  code::Guid& guid = out.id.guid;
  if (!bytes::read_at(record, 0, signature) || signature != kRsds) return std::nullopt;
  if (!bytes::read_at(record, 4, guid.data1) || !bytes::read_at(record, 8, guid.data2) ||
      !bytes::read_at(record, 10, guid.data3) || !bytes::read_at(record, 12, guid.data4) ||
      !bytes::read_at(record, 20, out.id.age)) {
    return std::nullopt;
  }
  // Some linkers omit the zero byte if the record ends there.
  out.path = bytes::View(record).text(24, kLongestPath).value_or("");
  const Bytes rest = bytes::from(record, 24);
  if (out.path.empty() && !rest.empty() && rest.size() < kLongestPath && rest[0] != std::byte{0}) {
    out.path = {reinterpret_cast<const char*>(rest.data()), rest.size()};
  }
  return out;
}

struct ExportDirectory {
  u32 flags, time_stamp, version, name, ordinal_base, function_count, name_count, functions, names, ordinals;
};

}  // namespace

Bytes directory_bytes(const ImageBytes& image, DirectoryEntry entry) {
  if (entry.rva == 0 || entry.size == 0) return {};
  const Bytes bytes = image.from(entry.rva);
  return bytes.first(std::min<usize>(bytes.size(), entry.size));
}

std::optional<CodeView> read_codeview(Bytes file, const ImageBytes& image, DirectoryEntry debug) {
  constexpr u32 kTypeCodeView = 2;
  const Bytes entries = directory_bytes(image, debug);
  DebugEntry entry{};
  for (u64 at = 0; bytes::read_at(entries, at, entry); at += sizeof entry) {
    if (entry.type != kTypeCodeView) continue;
    const Bytes record = entry.file_offset != 0 ? bytes::from(file, entry.file_offset) : image.from(entry.rva);
    std::optional<CodeView> found = read_rsds(record.first(std::min<usize>(record.size(), entry.size)));
    if (found.has_value()) return found;
  }
  return std::nullopt;
}

std::vector<Export> read_exports(const ImageBytes& image, DirectoryEntry exports, u32 image_size) {
  std::vector<Export> out;
  ExportDirectory directory{};
  if (!bytes::read_at(directory_bytes(image, exports), 0, directory)) return out;
  const Bytes functions = image.from(directory.functions);
  const Bytes names = image.from(directory.names);
  const Bytes ordinals = image.from(directory.ordinals);
  u32 name_rva = 0, rva = 0;
  u16 index = 0;
  for (u64 i = 0; i < directory.name_count; ++i) {
    if (!bytes::read_at(names, i * sizeof name_rva, name_rva) || !bytes::read_at(ordinals, i * sizeof index, index))
      break;
    if (index >= directory.function_count || !bytes::read_at(functions, u64{index} * sizeof rva, rva)) continue;
    const bool forwarded = rva >= exports.rva && rva - exports.rva < exports.size;
    if (rva == 0 || rva >= image_size || forwarded) continue;
    const std::string_view name = bytes::View(image.from(name_rva)).text(0, kLongestName + 1).value_or("");
    if (!name.empty()) out.push_back({{rva}, name});
  }
  std::sort(out.begin(), out.end(), [](const Export& a, const Export& b) {
    return std::tie(a.rva.value, a.name) < std::tie(b.rva.value, b.name);
  });
  return out;
}

namespace {

constexpr usize kSymbolSize = 18;
constexpr u8 kClassExternal = 2, kClassStatic = 3;

struct CoffSymbol {  // a record without its name and padding
  u32 value = 0;
  u16 section = 0, type = 0;
  u8 storage = 0, further_records = 0;
};

bool read_symbol(Bytes records, u64 index, CoffSymbol& out) {
  const u64 at = index * kSymbolSize;
  return bytes::read_at(records, at + 8, out.value) && bytes::read_at(records, at + 12, out.section) &&
         bytes::read_at(records, at + 14, out.type) && bytes::read_at(records, at + 16, out.storage) &&
         bytes::read_at(records, at + 17, out.further_records);
}

// Assemblers leave out the type. A symbol without a type but with auxiliary records names a section.
bool names_function(const CoffSymbol& symbol, const Section& section) {
  constexpr u16 kDerivedType = 0x30, kFunction = 0x20;
  if (symbol.storage != kClassExternal && symbol.storage != kClassStatic) return false;
  if ((symbol.type & kDerivedType) == kFunction) return true;
  return symbol.type == 0 && symbol.further_records == 0 && section.executable();
}

// Parses the digits of "/123", or the base-64 digits of "//AAAAe".
std::optional<u64> text_offset(std::string_view field) {
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bool in_base64 = field.starts_with("//");
  const std::string_view digits = in_base64 ? kBase64 : std::string_view("0123456789");
  field.remove_prefix(in_base64 ? 2 : 1);
  if (field.empty()) return std::nullopt;
  u64 offset = 0;
  for (const char one : field) {
    const usize digit = digits.find(one);
    if (digit == std::string_view::npos) return std::nullopt;
    offset = offset * digits.size() + digit;
  }
  return offset;
}

constexpr u32 kMetadataPointerAt = 0xc8;  // in IMAGE_LOAD_CONFIG_DIRECTORY64
// In IMAGE_ARM64EC_METADATA:
constexpr u32 kCodeMapAt = 0x04;
constexpr u32 kCodeMapCountAt = 0x08;
constexpr u32 kExtraFunctionsAt = 0x40;
constexpr u32 kExtraFunctionsSizeAt = 0x44;

struct CodeMapEntry {
  u32 start_and_kind;  // the kind is in the lowest two bits
  u32 length;
};

std::optional<PeMachine> machine_of_kind(u32 kind) {
  switch (kind) {
    case 0:
      return PeMachine::arm64;
    case 1:
      return PeMachine::arm64ec;
    case 2:
      return PeMachine::x64;
    default:
      return std::nullopt;
  }
}

std::vector<CodeRange> read_code_map(Bytes map, u32 count) {
  std::vector<CodeRange> out;
  CodeMapEntry entry{};
  for (u64 i = 0; i < count && bytes::read_at(map, i * sizeof entry, entry); ++i) {
    const u32 start = entry.start_and_kind & ~3u;
    const std::optional<PeMachine> machine = machine_of_kind(entry.start_and_kind & 3);
    if (!machine.has_value() || entry.length == 0 || entry.length > ~start) continue;
    out.push_back({{{start}, {start + entry.length}}, *machine});
  }
  std::sort(out.begin(), out.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.range.begin < b.range.begin; });
  return out;
}

}  // namespace

CoffSymbols::CoffSymbols(Bytes file, u32 table_offset, u32 symbol_count) {
  if (table_offset == 0) return;
  const u64 size = u64{symbol_count} * kSymbolSize;
  records_ = bytes::slice(file, table_offset, size);
  const Bytes texts = bytes::from(file, table_offset + size);
  u32 texts_size = 0;
  if (bytes::read_at(texts, 0, texts_size)) texts_ = bytes::slice(texts, 0, texts_size);
}

std::string_view CoffSymbols::text(u64 offset) const {
  if (offset < sizeof(u32)) return {};  // the first bytes are the size of the table
  return bytes::View(texts_).text(offset, kLongestCoffName + 1).value_or("");
}

std::string_view CoffSymbols::name_of(Bytes field) const {
  u32 first = 0, offset = 0;
  if (!bytes::read_at(field, 0, first) || !bytes::read_at(field, sizeof first, offset)) return {};
  return first == 0 ? text(offset) : bytes::text_in(field);
}

std::string CoffSymbols::section_name(std::string_view field) const {
  if (!field.starts_with('/')) return std::string(field);
  const std::optional<u64> offset = text_offset(field);
  const std::string_view name = offset.has_value() ? text(*offset) : std::string_view();
  return std::string(name.empty() ? field : name);
}

std::vector<CoffFunction> CoffSymbols::functions(const std::vector<Section>& sections) const {
  struct Named {
    u32 rva = 0;
    u8 rank = 0;  // of several names for an address, the one with the lowest rank is kept
    u16 section = 0;
    u64 record = 0;
  };
  std::vector<Named> found;
  CoffSymbol symbol;
  for (u64 i = 0; read_symbol(records_, i, symbol); i += 1 + u64{symbol.further_records}) {
    if (symbol.section == 0 || symbol.section > sections.size()) continue;
    const Section& section = sections[symbol.section - 1u];
    if (symbol.value >= section.size_in_memory() || !names_function(symbol, section)) continue;
    const bool is_local = symbol.storage == kClassStatic;
    found.push_back({.rva = section.rva + symbol.value,
                     .rank = static_cast<u8>((symbol.type == 0 ? 2 : 0) + (is_local ? 1 : 0)),
                     .section = static_cast<u16>(symbol.section - 1),
                     .record = i});
  }
  std::sort(found.begin(), found.end(), [](const Named& a, const Named& b) {
    return std::tie(a.rva, a.rank, a.record) < std::tie(b.rva, b.rank, b.record);
  });
  // In an undamaged file no two symbols share a long name. A damaged file could make the reader read a long name many
  // times.
  u64 bytes_left = u64{texts_.size()} * 2 + 16 * kLongestCoffName;
  std::vector<CoffFunction> out;
  for (const Named& one : found) {
    if (!out.empty() && out.back().range.begin.value == one.rva) continue;
    const std::string_view name = name_of(bytes::slice(records_, one.record * kSymbolSize, 8));
    const u64 bytes_read = name.empty() ? kLongestCoffName : name.size() <= 8 ? 0 : name.size();
    if (bytes_read > bytes_left) break;
    bytes_left -= bytes_read;
    if (name.empty()) continue;
    const Section& section = sections[one.section];
    if (!out.empty()) out.back().range.end.value = std::min(out.back().range.end.value, one.rva);
    out.push_back({{{one.rva}, {section.rva + section.size_in_memory()}}, name});
  }
  return out;
}

std::optional<HybridCode> read_hybrid_code(const ImageBytes& image, Bytes load_config, u64 image_base) {
  u32 config_size = 0;
  u64 pointer = 0;
  if (!bytes::read_at(load_config, 0, config_size) || config_size < kMetadataPointerAt + sizeof pointer)
    return std::nullopt;
  if (!bytes::read_at(load_config, kMetadataPointerAt, pointer) || pointer <= image_base) return std::nullopt;
  const u64 rva = pointer - image_base;
  if (rva > ~u32{0}) return std::nullopt;
  const Bytes metadata = image.from(static_cast<u32>(rva));
  u32 map = 0, count = 0;
  if (!bytes::read_at(metadata, kCodeMapAt, map) || !bytes::read_at(metadata, kCodeMapCountAt, count))
    return std::nullopt;
  HybridCode out;
  out.ranges = read_code_map(image.from(map), count);
  if (!bytes::read_at(metadata, kExtraFunctionsAt, out.extra_functions_rva) ||
      !bytes::read_at(metadata, kExtraFunctionsSizeAt, out.extra_functions_size)) {
    out.extra_functions_rva = out.extra_functions_size = 0;
  }
  return out;
}

}  // namespace wperf::symbols
