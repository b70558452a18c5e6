// SPDX-License-Identifier: BSD-3-Clause
// Imports, exports, relocations and thread-local storage of a PE file. Totals are capped, because a hostile file may
// let many tables overlap.
#include <unordered_map>

#include "sim/windows/pe_bytes.h"

namespace wperf::sim {
namespace {

constexpr usize kMostDlls = 512;
constexpr usize kMostSymbols = 65536;
constexpr usize kMostRelocations = 16u << 20;
constexpr u64 kOrdinalFlag = 1ull << 63;
constexpr u32 kMostTlsCallbacks = 64;
constexpr u32 kLargestTls = 16u << 20;

struct ImportDescriptor {
  u32 lookup_rva, time, forwarder, name_rva, address_rva;
};
static_assert(sizeof(ImportDescriptor) == 20);

struct DelayDescriptor {
  u32 attributes, name_rva, module_rva, address_rva, lookup_rva, bound_rva, unload_rva, time;
};
static_assert(sizeof(DelayDescriptor) == 32);

struct ExportDirectory {
  u32 flags, time;
  u16 major, minor;
  u32 name_rva, ordinal_base, function_count, name_count, functions_rva, names_rva, ordinals_rva;
};
static_assert(sizeof(ExportDirectory) == 40);

struct TlsDirectory {
  u64 data_start, data_end, index, callbacks;
  u32 zero_fill, characteristics;
};
static_assert(sizeof(TlsDirectory) == 40);

std::string read_thunks(const PeBytes& bytes, u32 lookup_rva, u32 address_rva, usize& symbol_count, PeImport& out) {
  for (u64 index = 0;; ++index) {
    u64 thunk = 0;
    if (!bytes.at_rva(lookup_rva + index * 8, thunk)) {
      return "is damaged or truncated: the imports from " + out.dll + " have no end";
    }
    if (thunk == 0) return {};
    if (++symbol_count > kMostSymbols) return "is damaged: it has an impossible number of imported functions";
    PeSymbol symbol;
    const u64 slot = address_rva + index * 8;
    if (!bytes.is_mapped(slot, 8)) return "is damaged: its import table is outside its sections";
    symbol.slot_rva = static_cast<u32>(slot);
    if (thunk & kOrdinalFlag) {
      symbol.ordinal = static_cast<u32>(thunk & 0xffff);
    } else if (thunk > 0x7fffffff || !bytes.name_at(thunk + 2, symbol.name)) {
      return "is damaged: the name of a function imported from " + out.dll + " cannot be read";
    }
    out.symbols.push_back(std::move(symbol));
  }
}

usize count_symbols(const std::vector<PeImport>& imports) {
  usize count = 0;
  for (const PeImport& import : imports) count += import.symbols.size();
  return count;
}

// VA stored in the file (at the preferred base) to RVA.
bool to_rva(u64 address, u64 base, u32& rva) {
  if (address < base || address - base > 0x7fffffff) return false;
  rva = static_cast<u32>(address - base);
  return true;
}

}  // namespace

std::string parse_imports(const PeBytes& bytes, PeDirectory at, std::vector<PeImport>& out) {
  if (at.rva == 0) return {};
  usize symbol_count = count_symbols(out);
  for (u64 index = 0;; ++index) {
    ImportDescriptor descriptor{};
    if (!bytes.at_rva(at.rva + index * sizeof descriptor, descriptor)) {
      return "is damaged or truncated: its import directory has no end";
    }
    if (descriptor.name_rva == 0 && descriptor.address_rva == 0) return {};
    if (index == kMostDlls) return "is damaged: it imports from an impossible number of DLLs";
    PeImport import;
    if (!bytes.name_at(descriptor.name_rva, import.dll)) {
      return "is damaged: the name of a DLL it imports cannot be read";
    }
    const u32 lookup = descriptor.lookup_rva != 0 ? descriptor.lookup_rva : descriptor.address_rva;
    std::string error = read_thunks(bytes, lookup, descriptor.address_rva, symbol_count, import);
    if (!error.empty()) return error;
    out.push_back(std::move(import));
  }
}

std::string parse_delay_imports(const PeBytes& bytes, PeDirectory at, std::vector<PeImport>& out) {
  if (at.rva == 0) return {};
  usize symbol_count = count_symbols(out);
  for (u64 index = 0;; ++index) {
    DelayDescriptor descriptor{};
    if (!bytes.at_rva(at.rva + index * sizeof descriptor, descriptor)) {
      return "is damaged or truncated: its delay import directory has no end";
    }
    if (descriptor.name_rva == 0) return {};
    if (index == kMostDlls) return "is damaged: it imports from an impossible number of DLLs";
    if ((descriptor.attributes & 1) == 0)
      return "has delay imports of an old kind, which the simulator does not support";
    PeImport import;
    if (!bytes.name_at(descriptor.name_rva, import.dll)) {
      return "is damaged: the name of a DLL it imports cannot be read";
    }
    std::string error = read_thunks(bytes, descriptor.lookup_rva, descriptor.address_rva, symbol_count, import);
    if (!error.empty()) return error;
    out.push_back(std::move(import));
  }
}

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
    entry.ordinal = static_cast<u32>(directory.ordinal_base + index);
    if (entry.rva >= at.rva && entry.rva - at.rva < at.size) {  // inside the directory: the name of another export
      if (!bytes.name_at(entry.rva, entry.forward)) return "is damaged: a forwarded export cannot be read";
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

std::string parse_tls(const PeBytes& bytes, PeDirectory at, u64 preferred_base, PeTls& out) {
  if (at.rva == 0) return {};
  const std::string damaged = "is damaged: its thread-local storage directory is invalid";
  TlsDirectory directory{};
  if (!bytes.at_rva(at.rva, directory)) return damaged;
  if (directory.data_end < directory.data_start || directory.data_end - directory.data_start > kLargestTls ||
      directory.zero_fill > kLargestTls) {
    return damaged;
  }
  out.present = true;
  out.data_size = static_cast<u32>(directory.data_end - directory.data_start);
  out.zero_fill = directory.zero_fill;
  if (out.data_size != 0 &&
      (!to_rva(directory.data_start, preferred_base, out.data_rva) || !bytes.is_mapped(out.data_rva, out.data_size))) {
    return damaged;
  }
  if (!to_rva(directory.index, preferred_base, out.index_rva) || !bytes.is_mapped(out.index_rva, 4)) return damaged;
  if (directory.callbacks == 0) return {};
  u32 callbacks_rva = 0;
  if (!to_rva(directory.callbacks, preferred_base, callbacks_rva)) return damaged;
  for (u64 index = 0;; ++index) {
    u64 callback = 0;
    if (index == kMostTlsCallbacks || !bytes.at_rva(callbacks_rva + index * 8, callback)) return damaged;
    if (callback == 0) return {};
    u32 rva = 0;
    if (!to_rva(callback, preferred_base, rva) || !bytes.is_mapped(rva, 4) || rva % 4 != 0) return damaged;
    out.callback_rvas.push_back(rva);
  }
}

}  // namespace wperf::sim
