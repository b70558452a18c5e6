// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/elf_symbols.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "code/ordered.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_format.h"
#include "code/symbols/elf/plt.h"

namespace wperf::symbols {
namespace {

// An entry of a 32-bit or 64-bit symbol table.
struct RawSymbol {
  u32 name = 0;
  u8 info = 0, other = 0;
  u16 section = 0;
  u64 value = 0, size = 0;
};

inline RawSymbol read_symbol(EndianBytes bytes, u64 at, bool wide) {
  RawSymbol symbol;
  symbol.name = bytes.at_or_zero<u32>(at);
  if (wide) {
    symbol.info = bytes.at_or_zero<u8>(at + 4);
    symbol.other = bytes.at_or_zero<u8>(at + 5);
    symbol.section = bytes.at_or_zero<u16>(at + 6);
    symbol.value = bytes.at_or_zero<u64>(at + 8);
    symbol.size = bytes.at_or_zero<u64>(at + 16);
  } else {
    symbol.value = bytes.at_or_zero<u32>(at + 4);
    symbol.size = bytes.at_or_zero<u32>(at + 8);
    symbol.info = bytes.at_or_zero<u8>(at + 12);
    symbol.other = bytes.at_or_zero<u8>(at + 13);
    symbol.section = bytes.at_or_zero<u16>(at + 14);
  }
  return symbol;
}

inline u64 symbol_bytes(bool wide) {
  return wide ? 24 : 16;
}

struct Candidate {
  u64 address = 0, size = 0;
  u32 name = 0;  // offset in the symbol table's names
  u8 binding = 0, type = 0;
};

// "$x", "$d.12": Arm's compilers mark the beginning of code and data by these; they are not names.
bool is_mapping_symbol(u16 machine, std::string_view name) {
  if (machine != elf::kMachineArm && machine != elf::kMachineArm64) return false;
  return name.size() >= 2 && name[0] == '$' && std::strchr("adtx", name[1]) != nullptr &&
         (name.size() == 2 || name[2] == '.');
}

bool is_executable(const ElfFile& file, u16 section) {
  if (section >= file.sections().size()) return section == elf::kIndexExtended;
  return (file.sections()[section].flags & elf::kFlagExecutable) != 0;
}

// Functions, labels in hand-written code, and data within code, which ends the function before it.
bool is_wanted(const ElfFile& file, const RawSymbol& symbol) {
  const u8 type = symbol.info & 0xf, visibility = symbol.other & 3;
  if (symbol.name == 0 || symbol.section == elf::kIndexUndefined) return false;
  if (type == elf::kTypeFunction || type == elf::kTypeIfunc) return true;
  if (type == elf::kTypeObject) return is_executable(file, symbol.section);
  return type == elf::kTypeNone && symbol.section != elf::kIndexAbsolute && visibility != elf::kVisibilityHidden &&
         visibility != elf::kVisibilityInternal && is_executable(file, symbol.section);
}

usize underscores_before(std::string_view name) {
  const usize count = name.find_first_not_of('_');
  return count == std::string_view::npos ? name.size() : count;
}

// perf's choice between two names for one address. It prefers, in this order: a symbol with a size, with a known type,
// not weak, global, with fewer leading underscores, with a longer name; otherwise the first one.
bool first_is_better(const Candidate& a, const Candidate& b, std::string_view name_a, std::string_view name_b) {
  if ((a.size == 0) != (b.size == 0)) return a.size != 0;
  if ((a.type == elf::kTypeNone) != (b.type == elf::kTypeNone)) return a.type != elf::kTypeNone;
  if ((a.binding == elf::kBindWeak) != (b.binding == elf::kBindWeak)) return b.binding == elf::kBindWeak;
  if ((a.binding == elf::kBindGlobal) != (b.binding == elf::kBindGlobal)) return a.binding == elf::kBindGlobal;
  const usize under_a = underscores_before(name_a), under_b = underscores_before(name_b);
  if (under_a != under_b) return under_a < under_b;
  return name_a.size() >= name_b.size();
}

// Calls use(symbol, names) for each symbol that names code, with its linked address.
template <typename Use>
void for_each_wanted(const ElfFile& file, const ElfSection& section, const Use& use) {
  if (section.link >= file.sections().size()) return;
  const bool wide = file.is_64_bit();
  const u64 entry = wide ? 24 : 16;
  const EndianBytes bytes = file.stored(section);
  const bool relocatable = file.type() == elf::kTypeRelocatable;
  for (u64 at = 0; bytes.holds(at, entry); at += entry) {
    RawSymbol symbol = read_symbol(bytes, at, wide);
    if (!is_wanted(file, symbol)) continue;
    if (relocatable && symbol.section < file.sections().size()) symbol.value += file.sections()[symbol.section].offset;
    const bool is_function = (symbol.info & 0xf) == elf::kTypeFunction;
    if (file.machine() == elf::kMachineArm && is_function) symbol.value &= ~u64{1};  // Thumb
    use(symbol);
  }
}

std::string_view name_of(const ElfFile& file, const ElfSection& section, u32 name) {
  return file.stored(file.sections()[section.link]).text(name).value_or("");
}

// Appends the symbols of one table, ordered by address, one for each address.
void read_table(const ElfFile& file, const ElfSection& section, ElfSymbolTable kind, std::vector<ElfSymbol>& out) {
  std::vector<Candidate> candidates;
  candidates.reserve(static_cast<usize>(file.stored(section).size() / (file.is_64_bit() ? 24 : 16)));
  for_each_wanted(file, section, [&](const RawSymbol& symbol) {
    candidates.push_back({symbol.value, symbol.size, symbol.name, static_cast<u8>(symbol.info >> 4),
                          static_cast<u8>(symbol.info & 0xf)});
  });
  code::order_by(candidates, [](const Candidate& one) { return one.address; });
  for (usize i = 0; i < candidates.size();) {
    const Candidate* best = nullptr;
    std::string_view best_name;
    const u64 address = candidates[i].address;
    for (; i < candidates.size() && candidates[i].address == address; ++i) {
      const std::string_view name = name_of(file, section, candidates[i].name);
      if (name.empty() || is_mapping_symbol(file.machine(), name)) continue;
      if (best != nullptr && first_is_better(*best, candidates[i], best_name, name)) continue;
      best = &candidates[i];
      best_name = name;
    }
    if (best == nullptr) continue;
    const u64 end = best->size <= ~u64{0} - address ? address + best->size : ~u64{0};
    out.push_back({address, end, best_name, kind, best->binding == elf::kBindLocal});
  }
}

const ElfSection* table_of(const ElfFile* file, u32 type) {
  if (file == nullptr) return nullptr;
  for (const ElfSection& section : file->sections()) {
    if (section.type == type && section.size > 0 && !file->stored(section).empty()) return &section;
  }
  return nullptr;
}

// A symbol without a size extends to the next one.
void close_gaps(std::vector<ElfSymbol>& symbols) {
  constexpr u64 kPage = 4096;
  for (usize i = 0; i < symbols.size(); ++i) {
    if (symbols[i].end != symbols[i].begin) continue;
    const u64 last_end = (symbols[i].begin + 2 * kPage - 1) & ~(kPage - 1);
    symbols[i].end = i + 1 < symbols.size() ? symbols[i + 1].begin : std::max(last_end, symbols[i].begin);
  }
}

void merge_in(std::vector<ElfSymbol>& symbols, const std::vector<ElfSymbol>& more) {
  std::vector<ElfSymbol> merged;
  merged.reserve(symbols.size() + more.size());
  std::merge(symbols.begin(), symbols.end(), more.begin(), more.end(), std::back_inserter(merged),
             [](const ElfSymbol& a, const ElfSymbol& b) { return a.begin < b.begin; });
  symbols.swap(merged);
  symbols.erase(std::unique(symbols.begin(), symbols.end(),
                            [](const ElfSymbol& a, const ElfSymbol& b) { return a.begin == b.begin; }),
                symbols.end());
}

// The tables that name code: a full table, or without one, the dynamic table and the table packed for backtraces.
struct NameTable {
  const ElfFile* file;
  const ElfSection* section;
  ElfSymbolTable kind;
};
std::vector<NameTable> tables_of(const ElfFile* image, const ElfFile* debug, const ElfFile* embedded) {
  std::vector<NameTable> tables;
  const auto add = [&](const ElfFile* file, u32 type, ElfSymbolTable kind) {
    if (const ElfSection* section = table_of(file, type); section != nullptr) tables.push_back({file, section, kind});
  };
  add(table_of(debug, elf::kSectionSymtab) != nullptr ? debug : image, elf::kSectionSymtab, ElfSymbolTable::full);
  if (!tables.empty()) return tables;
  add(image != nullptr ? image : debug, elf::kSectionDynsym, ElfSymbolTable::dynamic);
  add(embedded, elf::kSectionSymtab, ElfSymbolTable::embedded);
  return tables;
}

}  // namespace

void ElfSymbols::for_each_name(const ElfFile* image, const ElfFile* debug, const ElfFile* embedded,
                               const NameVisitor& visit) {
  for (const NameTable& table : tables_of(image, debug, embedded)) {
    for_each_wanted(*table.file, *table.section, [&](const RawSymbol& symbol) {
      const std::string_view name = name_of(*table.file, *table.section, symbol.name);
      if (!name.empty() && !is_mapping_symbol(table.file->machine(), name)) visit(symbol.value, name);
    });
  }
}

ElfSymbols ElfSymbols::read(const ElfFile* image, const ElfFile* debug, const ElfFile* embedded) {
  ElfSymbols out;
  std::vector<ElfSymbol>& symbols = out.symbols_;
  for (const NameTable& table : tables_of(image, debug, embedded)) {
    std::vector<ElfSymbol> own;
    read_table(*table.file, *table.section, table.kind, own);
    symbols.empty() ? symbols.swap(own) : merge_in(symbols, own);
  }
  if (image != nullptr) {
    std::vector<ElfSymbol> stubs;
    for (const elf::PltStub& stub : elf::read_plt(*image)) {
      if (!stub.target.empty() && stub.size <= ~u64{0} - stub.address) {
        stubs.push_back({stub.address, stub.address + stub.size, stub.target, ElfSymbolTable::plt});
      }
    }
    if (!stubs.empty()) merge_in(symbols, stubs);
  }
  close_gaps(symbols);

  out.enclosing_.assign(symbols.size(), 0);
  for (usize i = 1; i < symbols.size(); ++i) {
    u32 before = static_cast<u32>(i);
    while (before != 0 && symbols[before - 1].end <= symbols[i].end) before = out.enclosing_[before - 1];
    out.enclosing_[i] = before;
  }
  return out;
}

const ElfSymbol* ElfSymbols::find(u64 address) const {
  const auto after = std::partition_point(symbols_.begin(), symbols_.end(),
                                          [&](const ElfSymbol& one) { return one.begin <= address; });
  auto at = static_cast<usize>(after - symbols_.begin());
  while (at != 0 && symbols_[at - 1].end <= address) at = enclosing_[at - 1];
  return at != 0 ? &symbols_[at - 1] : nullptr;
}

namespace {

// Is it a named address in the memory of the program?
bool is_local_symbol(const ElfFile& file, const RawSymbol& symbol) {
  const u8 type = symbol.info & 0xf;
  const bool has_name =
      type == elf::kTypeNone || type == elf::kTypeObject || type == elf::kTypeFunction || type == elf::kTypeIfunc;
  if (symbol.info >> 4 != elf::kBindLocal || !has_name || symbol.name == 0 || symbol.value == 0) return false;
  if (symbol.section == elf::kIndexAbsolute || symbol.section == elf::kIndexExtended) return true;
  if (symbol.section == elf::kIndexUndefined || symbol.section >= file.sections().size()) return false;
  const ElfSection& section = file.sections()[symbol.section];
  const u64 offset = symbol.value - section.address;  // huge if the symbol is before the section
  return (section.flags & elf::kFlagAllocated) != 0 && offset <= section.size && symbol.size <= section.size - offset;
}

}  // namespace

LocalSymbols LocalSymbols::read(const ElfFile& image) {
  LocalSymbols out;
  const ElfSection* const table = table_of(&image, elf::kSectionSymtab);
  if (table == nullptr || table->link >= image.sections().size()) return out;
  const EndianBytes bytes = image.stored(*table);
  const u64 entry = symbol_bytes(image.is_64_bit());
  for (u64 at = 0; bytes.holds(at, entry); at += entry) {
    const RawSymbol symbol = read_symbol(bytes, at, image.is_64_bit());
    if (!is_local_symbol(image, symbol)) continue;
    const std::string_view name = name_of(image, *table, symbol.name);
    if (!name.empty() && !is_mapping_symbol(image.machine(), name)) out.symbols_.emplace_back(name, symbol.value);
  }
  std::sort(out.symbols_.begin(), out.symbols_.end());
  return out;
}

u32 LocalSymbols::number_of(std::string_view name, u64 address) const {
  const auto found = std::lower_bound(symbols_.begin(), symbols_.end(), std::pair(name, address));
  if (found == symbols_.end() || *found != std::pair(name, address)) return 0;
  return static_cast<u32>(found - std::lower_bound(symbols_.begin(), found, std::pair(name, u64{0}))) + 1;
}

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
  // Only a few variables overlap: aliases of a variable, and parts of it.
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

const DataSymbol* DataSymbols::named(std::string_view name) const {
  const auto found = std::ranges::find(symbols_, name, &DataSymbol::name);
  return found != symbols_.end() ? &*found : nullptr;
}

}  // namespace wperf::symbols
