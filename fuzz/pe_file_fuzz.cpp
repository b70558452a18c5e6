// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a PE image whose addresses are named. The result is an error of one sentence, or consistent answers,
// including those from the image's COFF symbols and DWARF.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "code/symbols/pe/pe_file.h"
#include "code/symbols/pe/pe_invariants_test.h"
#include "code/symbols/symbolizer.h"

namespace {

using namespace wperf::symbols;
using wperf::u32;
using wperf::code::Rva;

void check_names(PeFile image) {
  std::vector<Rva> addresses;
  for (const CoffFunction& one : image.coff_functions()) {
    if (addresses.size() < 500) addresses.push_back(one.range.begin);
  }
  // The default address of code.
  for (u32 rva = 0x1000; rva < 0x1200; rva += 4) addresses.push_back({rva});
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const ModuleSymbols module = ModuleSymbols::make("image", std::move(image), std::nullopt);
  const std::vector<Answer> answers = module.answer(addresses, {.decorated = true});
  if (answers.size() != addresses.size()) std::abort();
  for (const Answer& one : answers) {
    const bool from_symbols = one.source == SymbolSource::symtab || one.source == SymbolSource::dwarf;
    if (from_symbols && !one.bounds.contains(one.address)) std::abort();
    if (one.source != SymbolSource::none && one.frames.empty()) std::abort();
    if (!one.frames.empty() && one.frames.back().function != one.function) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  auto parsed = PeFile::parse(bytes);
  if (!parsed.has_value()) {
    if (parsed.error().text.empty()) std::abort();
    return 0;
  }
  if (find_broken_invariant(parsed.value(), bytes) != nullptr) std::abort();
  check_names(std::move(parsed).value());
  return 0;
}
