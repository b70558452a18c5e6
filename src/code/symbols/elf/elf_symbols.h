// SPDX-License-Identifier: BSD-3-Clause
// The functions of an ELF file by address, from its symbol tables. If an address has several names, the name that perf
// shows is kept.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {

enum class ElfSymbolTable : u8 { full, dynamic, embedded, plt };  // .symtab, .dynsym, .gnu_debugdata, stubs

struct ElfSymbol {
  u64 begin = 0;
  u64 end = 0;            // one past the last byte; the next symbol's begin if the table has no size
  std::string_view name;  // as in the file; for a stub, the name of the function that it calls
  ElfSymbolTable table = ElfSymbolTable::full;
  bool is_local = false;  // other files may have a function with the same name
};

class ElfSymbols {
 public:
  // `image`: the file that processes map. `debug`: its separate debug file. `embedded`: the contents of the image's
  // .gnu_debugdata. Each may be null. The files must outlive this object.
  static ElfSymbols read(const ElfFile* image, const ElfFile* debug, const ElfFile* embedded);

  // Visits all names of code in these files, unchanged; an address may have several.
  using NameVisitor = std::function<void(u64 address, std::string_view name)>;
  static void for_each_name(const ElfFile* image, const ElfFile* debug, const ElfFile* embedded,
                            const NameVisitor& visit);

  std::span<const ElfSymbol> all() const { return symbols_; }  // ordered by address; no two begin at the same address
  // For each symbol, 1 + the index of the nearest earlier one that reaches beyond its end; 0 if there is none.
  std::span<const u32> enclosing() const { return enclosing_; }
  // The symbol that contains the address, the innermost one if several do; null if there is none.
  const ElfSymbol* find(u64 address) const;

 private:
  std::vector<ElfSymbol> symbols_;
  std::vector<u32> enclosing_;
};

// The local symbols of an ELF file: functions, labels and variables. Several may have one name.
class LocalSymbols {
 public:
  static LocalSymbols read(const ElfFile& image);
  // BOLT numbers symbols with equal names by address, from 1. Returns this number, or 0 for an unknown symbol.
  u32 number_of(std::string_view name, u64 address) const;

 private:
  std::vector<std::pair<std::string_view, u64>> symbols_;  // in order
};

// The variables of an ELF file by address, from its symbol tables. They give names to locks that are global or static
// variables.
struct DataSymbol {
  u64 begin = 0, end = 0;
  std::string_view name;  // as in the file
};

class DataSymbols {
 public:
  // `debug`: the separate debug file, or null. The files must outlive this object.
  static DataSymbols read(const ElfFile& image, const ElfFile* debug);
  // The smallest variable that contains the address; null if there is none.
  const DataSymbol* find(u64 address) const;
  // The first variable of that name; null if there is none.
  const DataSymbol* named(std::string_view name) const;

 private:
  std::vector<DataSymbol> symbols_;  // ordered by begin
};

}  // namespace wperf::symbols
