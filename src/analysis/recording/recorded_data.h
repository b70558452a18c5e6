// SPDX-License-Identifier: BSD-3-Clause
// Names for addresses of data: the variable of a module that one lies in. Only code is recorded as mapped, but a module
// is mapped as a whole, so where its code lies tells where its data does. Called by commands for the locks that threads
// waited for.
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
  std::string symbol;       // empty: none is known
  std::string module;       // empty: it lies in none, or nobody knows in which
  u64 offset = 0;           // in the symbol, or without one in the module as linked
  bool is_outside = false;  // of all modules: heap, stack, memory that processes share
};

struct NamedData {
  std::vector<DataName> names;  // each once
  std::vector<u32> of_address;  // by place in what was asked
};

NamedData name_data(const perf_data::PerfFile& file, const std::vector<DataAddress>& addresses,
                    const modules::ElfSearch& search, bool decorated);

}  // namespace wperf::recording
