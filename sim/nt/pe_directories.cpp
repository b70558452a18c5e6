// SPDX-License-Identifier: BSD-3-Clause
// Exports and relocations of a PE file. Totals are capped, because a hostile file may let many tables overlap.
#include <unordered_map>

#include "sim/nt/pe_bytes.h"

namespace wperf::sim {
namespace {

constexpr usize kMostSymbols = 65536;
constexpr usize kMostRelocations = 16u << 20;

struct ExportDirectory {
  u32 flags, time;
  u16 major, minor;
  u32 name_rva, ordinal_base, function_count, name_count, functions_rva, names_rva, ordinals_rva;
};
static_assert(sizeof(ExportDirectory) == 40);

}  // namespace

std::string parse_exports(const PeBytes& bytes, PeDirectory at, std::vector<PeExport>& out) {
  if (at.rva == 0) return {};
  ExportDirectory directory{};
  if (!bytes.at_rva(at.rva, directory)) return "is damaged or truncated: its export directory is incomplete";
  if (directory.function_count > kMostSymbols || directory.name_count > kMostSymbols) {
    return "is damaged: it has an impossible number of exports";
  }
  std::unordered_map<u32, usize> by_index;
  for (u64 index = 0; index < directory.function_count; ++index) {
    PeExport entry;
    if (!bytes.at_rva(directory.functions_rva + index * 4, entry.rva)) {
      return "is damaged or truncated: its export table is incomplete";
    }
    if (entry.rva == 0) continue;
    if (entry.rva >= at.rva && entry.rva - at.rva < at.size) {  // inside the directory: the name of another export
      entry.rva = 0;
    } else if (!bytes.is_mapped(entry.rva, 1)) {
      return "is damaged: an export is outside its sections";
    }
    by_index.emplace(static_cast<u32>(index), out.size());
    out.push_back(std::move(entry));
  }
  for (u64 index = 0; index < directory.name_count; ++index) {
    u32 name_rva = 0;
    u16 function = 0;
    std::string name;
    if (!bytes.at_rva(directory.names_rva + index * 4, name_rva) ||
        !bytes.at_rva(directory.ordinals_rva + index * 2, function) || !bytes.name_at(name_rva, name)) {
      return "is damaged or truncated: the names of its exports are incomplete";
    }
    const auto found = by_index.find(function);
    if (found == by_index.end()) return "is damaged: export " + name + " does not name a function";
    if (out[found->second].name.empty()) {
      out[found->second].name = std::move(name);
    } else {  // a second name for the same function
      PeExport alias = out[found->second];
      alias.name = std::move(name);
      out.push_back(std::move(alias));
    }
  }
  return {};
}

std::string parse_relocations(const PeBytes& bytes, PeDirectory at, std::vector<u32>& out) {
  constexpr u32 kAbsolute = 0, kDir64 = 10;
  u64 position = at.rva;
  const u64 end = u64{at.rva} + at.size;
  if (at.rva == 0) return {};
  while (position + 8 <= end) {
    u32 page_rva = 0;
    u32 block_size = 0;
    if (!bytes.at_rva(position, page_rva) || !bytes.at_rva(position + 4, block_size)) {
      return "is damaged or truncated: its relocations are incomplete";
    }
    if (block_size < 8 || block_size % 2 != 0 || position + block_size > end) {
      return "is damaged: its relocations are invalid";
    }
    for (u64 entry = position + 8; entry < position + block_size; entry += 2) {
      u16 value = 0;
      if (!bytes.at_rva(entry, value)) return "is damaged or truncated: its relocations are incomplete";
      if (value >> 12 == kAbsolute) continue;
      const u64 target = u64{page_rva} + (value & 0xfff);
      if (value >> 12 != kDir64) return "has a kind of relocation that ARM64 programs do not use";
      if (!bytes.is_mapped(target, 8)) return "is damaged: a relocation is outside its sections";
      if (out.size() == kMostRelocations) return "is damaged: it has an impossible number of relocations";
      out.push_back(static_cast<u32>(target));
    }
    position += block_size;
  }
  return {};
}

}  // namespace wperf::sim
