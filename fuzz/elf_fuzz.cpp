// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary ELF files with any DWARF. Each query returns an answer or nullopt in bounded time and memory, and the
// answers are consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "code/symbols/elf_module.h"

namespace {

using namespace wperf::symbols;
using wperf::u64;

void check(const ElfModule& module) {
  std::vector<u64> addresses;
  u64 before = 0;
  bool is_first = true;
  for (const ElfSymbol& symbol : module.symbols().all()) {
    if (!is_first && symbol.begin <= before) std::abort();
    if (symbol.end < symbol.begin) std::abort();
    is_first = false;
    before = symbol.begin;
    if (addresses.size() < 1000) addresses.push_back(symbol.begin);
    if (symbol.end > symbol.begin && module.symbols().find(symbol.begin) != &symbol) std::abort();
  }
  // The default address of code.
  for (u64 address = 0x401000; address < 0x401400; address += 4) addresses.push_back(address);
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const Symbolization answers = module.answer(addresses, {});
  if (answers.answers.size() != addresses.size()) std::abort();
  for (const SymbolizedAddress& one : answers.answers) {
    if (u64{one.first_frame} + one.frame_count > answers.frames.size()) std::abort();
    if (one.source != SymbolSource::none && one.source != SymbolSource::dwarf &&
        (one.address < one.begin || one.address >= one.end)) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const auto module = ElfModule::make({.image = bytes, .debug = {}, .alternate = {}});
  if (!module.has_value()) {
    if (module.error().text.empty()) std::abort();
    return 0;
  }
  check(module.value());
  const ElfFile& file = *module.value().image();
  static_cast<void>(file.debug_link());
  static_cast<void>(file.alternate_link());
  for (const ElfSegment& segment : file.segments()) static_cast<void>(file.address_of_offset(segment.offset));
  return 0;
}
