// SPDX-License-Identifier: BSD-3-Clause
// Linker names of functions, for a profile for a compiler. With DWARF, a function's name is taken from the entry that
// has its lines, because the symbol may name only a part of the function ("f.cold", "f.resume"), or another function
// that was folded with it.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/modules/code_file.h"

namespace wperf::pgo {

// The name without the suffixes that compilers add to copies of functions: "f.llvm.123" → "f".
std::string_view canonical_name(std::string_view name);
// Can this name be in the profile? In it, names end at blanks, and a word that begins with a digit is a number.
bool is_word(std::string_view name);

class LinkerNames {
 public:
  explicit LinkerNames(const modules::CodeFile& file) : file_(file) {}

  // The linker name of the function at an address, not of functions inlined there. `outermost`: its frame.
  std::string_view of_function(const symbols::SymbolizedAddress& answer, const symbols::SymbolizedFrame& outermost);
  // Is the DWARF name of an inlined function its linker name? In C++ a plain name is a linker name only if the function
  // has C linkage; then there usually is a symbol, too.
  bool is_sure(const symbols::SymbolizedFrame& inlined);
  // Does the function with this name begin where this symbol begins? Symbols of function parts do not count.
  bool is_entry(std::string_view name, const symbols::SymbolizedAddress& symbol);
  // The start addresses of the functions that a compiler made from this coroutine. `symbol`: the coroutine or a part of
  // it.
  std::vector<u64> coroutine_at(std::string_view symbol);

 private:
  using Symbol = std::pair<std::string, u64>;
  void read_symbols();
  std::vector<Symbol>::const_iterator find(std::string_view name, u64 least_address);
  bool has_symbol(std::string_view name);
  bool has_symbol_at(std::string_view name, u64 address);

  const modules::CodeFile& file_;
  std::vector<Symbol> symbols_;  // the canonical names of whole functions, in order, if they were needed
  bool has_symbols_ = false;
};

}  // namespace wperf::pgo
