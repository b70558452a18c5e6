// SPDX-License-Identifier: BSD-3-Clause
// The functions, inlined frames and lines of addresses in one module, in one form for PE with PDB and ELF with DWARF.
// Texts are valid as long as the module exists.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

// The source of a function's name. For an image, symtab is its COFF symbol table; go is the function table of Go.
enum class SymbolSource : u8 { pdb, pdb_publics, exports, pdata, symtab, dynsym, embedded, plt, dwarf, go, none };

struct SymbolQuery {
  bool lines = true;       // true: finds frames, not only functions
  bool decorated = false;  // true: names as the compiler made them
  // true: finds the declared lines of the frames' functions, for profiles for compilers. Then the frame of the
  // outermost function has its DWARF name, which may differ from the symbol's name. Names that may be wrong in a PDB
  // are left empty.
  bool declarations = false;
};

struct SymbolizedFrame {
  std::string_view function;  // name to display
  std::string_view file;      // empty if not known
  u32 line = 0;
  u32 discriminator = 0;       // distinguishes the blocks of a line; only with DWARF
  u32 declared_line = 0;       // line of the function's declaration; 0 if not known or not requested
  bool is_first_line = false;  // `declared_line` is the first line of the function's code, because the declaration is
                               // not known
  bool inlined = false;
  bool in_dwarf = false;  // the frame comes from DWARF
};

struct SymbolizedAddress {
  u64 address = 0;  // linked address
  SymbolSource source = SymbolSource::none;
  std::string_view function;  // name to display, "name@plt" for stubs; may be empty
  u64 begin = 0, end = 0;     // range of the function; equal if not known
  u32 first_frame = 0;        // index in Symbolization::frames: innermost inlined first, the function last
  u32 frame_count = 0;        // 0 if lines were not requested or nothing is known. Padding has a line but no function.
};

// Called for each name of code in a file, in readable form.
using CodeNameVisitor = std::function<void(u64 address, std::string_view name)>;

struct Symbolization {
  std::vector<SymbolizedAddress> answers;  // one for each address, in the same order
  std::vector<SymbolizedFrame> frames;
};

}  // namespace wperf::symbols
