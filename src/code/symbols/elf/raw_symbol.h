// SPDX-License-Identifier: BSD-3-Clause
// An entry of a symbol table, of either width.
#pragma once
#include "code/symbols/elf/elf_file.h"

namespace wperf::symbols {

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

}  // namespace wperf::symbols
