// SPDX-License-Identifier: BSD-3-Clause
// The answers for addresses of one module: functions, inlined frames, lines. One form for PE with PDB and for ELF with
// DWARF. Texts live as long as the module that answered.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

// The source of a function's name. For an image, symtab is its table of COFF symbols.
enum class SymbolSource : u8 { pdb, pdb_publics, exports, pdata, symtab, dynsym, embedded, plt, dwarf, none };

struct SymbolQuery {
  bool lines = true;          // also frames, not only the function
  bool decorated = false;     // names as the compiler made them
  bool declarations = false;  // of the frames' functions: their lines
};

struct SymbolizedFrame {
  std::string_view function;  // display name
  std::string_view file;      // empty: not known
  u32 line = 0;
  u32 discriminator = 0;       // tells blocks of one line apart; DWARF only
  u32 declared_line = 0;       // of the function; 0 if not known or not wanted
  bool is_first_line = false;  // of the function's code, instead of a declared line that is not known
  bool inlined = false;
};

struct SymbolizedAddress {
  u64 address = 0;  // as linked
  SymbolSource source = SymbolSource::none;
  std::string_view function;  // display name, "name@plt" for stubs; may be empty
  u64 begin = 0, end = 0;     // of the function; equal if not known
  u32 first_frame = 0;        // in Symbolization::frames: innermost inlined first, the function last
  u32 frame_count = 0;        // 0 if lines were not wanted, or if nothing is known. Padding has a line but no function.
};

// Called for each name of code in a file, as people write it.
using CodeNameVisitor = std::function<void(u64 address, std::string_view name)>;

struct Symbolization {
  std::vector<SymbolizedAddress> answers;  // one for each address, in their order
  std::vector<SymbolizedFrame> frames;
};

}  // namespace wperf::symbols
