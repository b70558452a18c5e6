// SPDX-License-Identifier: BSD-3-Clause
// Variables of an ELF file by address, from its symbol tables: the name of a lock that is a global or static variable.
#pragma once
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {

struct DataSymbol {
  u64 begin = 0, end = 0;
  std::string_view name;  // as in the file
};

class DataSymbols {
 public:
  // `debug`: the separate debug file; null: none. The files must outlive this.
  static DataSymbols read(const ElfFile& image, const ElfFile* debug);
  // The smallest around it; null: none.
  const DataSymbol* find(u64 address) const;

 private:
  std::vector<DataSymbol> symbols_;  // by begin
};

}  // namespace wperf::symbols
