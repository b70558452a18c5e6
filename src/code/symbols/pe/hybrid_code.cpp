// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/hybrid_code.h"

namespace wperf::symbols {
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
