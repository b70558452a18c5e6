// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/data_symbols.h"

#include <algorithm>

#include "code/symbols/elf/elf_format.h"
#include "code/symbols/elf/raw_symbol.h"

namespace wperf::symbols {
namespace {

void add_variables(const ElfFile& file, u32 type, std::vector<DataSymbol>& out) {
  const bool wide = file.is_64_bit();
  const u64 entry = symbol_bytes(wide);
  for (const ElfSection& section : file.sections()) {
    if (section.type != type || section.link >= file.sections().size()) continue;
    const EndianBytes bytes = file.stored(section), names = file.stored(file.sections()[section.link]);
    for (u64 at = 0; bytes.holds(at, entry); at += entry) {
      const RawSymbol symbol = read_symbol(bytes, at, wide);
      if ((symbol.info & 0xf) != elf::kTypeObject || symbol.section == elf::kIndexUndefined || symbol.size == 0)
        continue;
      const std::string_view name = names.text(symbol.name).value_or("");
      if (!name.empty() && symbol.size <= ~u64{0} - symbol.value) {
        out.push_back({symbol.value, symbol.value + symbol.size, name});
      }
    }
  }
}

}  // namespace

DataSymbols DataSymbols::read(const ElfFile& image, const ElfFile* debug) {
  DataSymbols out;
  if (debug != nullptr) add_variables(*debug, elf::kSectionSymtab, out.symbols_);
  if (out.symbols_.empty()) add_variables(image, elf::kSectionSymtab, out.symbols_);
  if (out.symbols_.empty()) add_variables(image, elf::kSectionDynsym, out.symbols_);
  std::stable_sort(out.symbols_.begin(), out.symbols_.end(),
                   [](const DataSymbol& a, const DataSymbol& b) { return a.begin < b.begin; });
  return out;
}

const DataSymbol* DataSymbols::find(u64 address) const {
  // Only a few variables overlap: aliases of one, and parts of one.
  constexpr usize kMostAround = 64;
  auto one = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                              [](u64 wanted, const DataSymbol& symbol) { return wanted < symbol.begin; });
  const DataSymbol* best = nullptr;
  for (usize looked_at = 0; one != symbols_.begin() && looked_at < kMostAround; ++looked_at) {
    --one;
    if (address >= one->end) continue;
    if (best == nullptr || one->end - one->begin <= best->end - best->begin) best = &*one;
  }
  return best;
}

}  // namespace wperf::symbols
