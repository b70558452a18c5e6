// SPDX-License-Identifier: BSD-3-Clause
// Names addresses of data: finds the variable of a module at each address. Only code mappings are recorded, but a
// module is mapped as a whole, so the address of its code determines the address of its data. Used to name the locks
// that threads waited for.
#pragma once
#include <string>
#include <vector>

#include "code/modules/elf_files.h"
#include "formats/perf_data/perf_file.h"

namespace wperf::recording {

struct DataAddress {
  u32 process = 0, thread = 0;
  u64 time = 0;
  u64 address = 0;
};

struct DataName {
  u32 process = 0;
  u64 address = 0;
  std::string symbol;       // empty if unknown
  std::string module;       // empty if the address is outside of all modules, or in an unknown module
  u64 offset = 0;           // relative to the symbol, or without a symbol a linked address of the module
  bool is_outside = false;  // outside of all modules: heap, stack, shared memory
};

struct NamedData {
  std::vector<DataName> names;  // each name once
  std::vector<u32> of_address;  // for each given address: index into names
};

NamedData name_data(const perf_data::PerfFile& file, const std::vector<DataAddress>& addresses,
                    const modules::ElfSearch& search, bool decorated);

}  // namespace wperf::recording
