// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/image_tables.h"

#include <tuple>

namespace wperf::symbols {
namespace {

constexpr usize kLongestName = 4096;  // of a symbol; longer than any undecorated Microsoft name
constexpr usize kLongestPath = 32768;

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
  // Some linkers leave the zero byte out when the record ends there.
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

constexpr u32 kMetadataPointerAt = 0xc8;  // in IMAGE_LOAD_CONFIG_DIRECTORY64
// In IMAGE_ARM64EC_METADATA:
constexpr u32 kCodeMapAt = 0x04;
constexpr u32 kCodeMapCountAt = 0x08;
constexpr u32 kExtraFunctionsAt = 0x40;
constexpr u32 kExtraFunctionsSizeAt = 0x44;

struct CodeMapEntry {
  u32 start_and_kind;  // the kind in the low two bits
  u32 length;
};

std::optional<Machine> machine_of_kind(u32 kind) {
  switch (kind) {
    case 0:
      return Machine::arm64;
    case 1:
      return Machine::arm64ec;
    case 2:
      return Machine::x64;
    default:
      return std::nullopt;
  }
}

std::vector<CodeRange> read_code_map(Bytes map, u32 count) {
  std::vector<CodeRange> out;
  CodeMapEntry entry{};
  for (u64 i = 0; i < count && bytes::read_at(map, i * sizeof entry, entry); ++i) {
    const u32 start = entry.start_and_kind & ~3u;
    const std::optional<Machine> machine = machine_of_kind(entry.start_and_kind & 3);
    if (!machine.has_value() || entry.length == 0 || entry.length > ~start) continue;
    out.push_back({{{start}, {start + entry.length}}, *machine});
  }
  std::sort(out.begin(), out.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.range.begin < b.range.begin; });
  return out;
}

}  // namespace

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
