// SPDX-License-Identifier: BSD-3-Clause
// Lists of functions from /proc/kallsyms and perf's maps. They are sorted and without overlaps, and each function is
// found at its address.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "code/symbols/listed/listed_symbols.h"

namespace {

using namespace wperf::symbols;

void check(const ListedSymbols& symbols) {
  wperf::u64 before = 0;
  for (const ListedSymbol& one : symbols.all()) {
    if (one.begin < before || one.end < one.begin || one.name.empty()) std::abort();
    before = one.end;
    if (one.end > one.begin && symbols.find(one.begin) != &one) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(ListedSymbols::parse_kallsyms(text));
  check(ListedSymbols::parse_perf_map(text));
  return 0;
}
