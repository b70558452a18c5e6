// SPDX-License-Identifier: BSD-3-Clause
// Bytes as the function table of a Go program, and as data in which such a table is searched. A returned function
// contains the requested address, names and files lie within the bytes, and lines do not depend on the order of
// queries.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "code/symbols/go/go_search.h"

namespace {

using namespace wperf::symbols;
using wperf::u64;

constexpr u64 kText = 0x401000, kCodeSize = 0x400, kData = 0x800000;

void check_text(std::string_view text, Bytes bytes) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  if (text.empty()) return;
  if (begin < bytes.data() || begin + text.size() >= bytes.data() + bytes.size()) std::abort();
}

void check(const GoTable& table, Bytes bytes) {
  for (u64 address = kText; address < kText + kCodeSize; address += 4) {
    const GoLine line = table.line_at(address);
    check_text(line.file, bytes);
    const auto function = table.function_at(address);
    if (!function.has_value()) continue;
    if (address < function->begin || address >= function->end) std::abort();
    check_text(function->name, bytes);
  }
  for (u64 address = kText + 256; address-- > kText;) {
    const GoLine backwards = table.line_at(address);
    const GoLine again = table.line_at(address);
    if (backwards.file != again.file || backwards.line != again.line) std::abort();
  }
  table.for_each([&](const GoFunction& one) {
    if (one.begin >= one.end) std::abort();
    check_text(one.name, bytes);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (auto table = GoTable::read(EndianBytes(bytes, false)); table.has_value()) {
    if (table->stored_text().has_value()) table->set_text(kText);
    check(*table, bytes);
  }
  const GoPart parts[] = {{kText, kCodeSize, {}, true}, {kData, size, bytes, false}};
  for (const wperf::u8 quantum : {wperf::u8{1}, wperf::u8{4}}) {
    const auto found = find_go_table({parts, false}, quantum);
    if (!found.has_value()) continue;
    if (found->quantum() != quantum) std::abort();
    check(*found, bytes);
  }
  return 0;
}
