// SPDX-License-Identifier: BSD-3-Clause
// Addresses of one module → functions, inlined frames, lines, from the best of its files: PDB, else exports, else
// .pdata bounds, else no names. Opens no files: store/ found them. One ModuleSymbols per module; modules asks with
// sorted unique addresses.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pe/pe_file.h"
#include "code/symbols/symbolization.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

struct SymbolFrame {
  std::string function;  // display name
  std::string file;
  u32 line = 0;
  bool inlined = false;
};

struct Answer {
  code::Rva address;
  SymbolSource source = SymbolSource::none;
  std::string function;             // undecorated, or decorated if wanted; "function at 0x…" from .pdata; empty: none
  code::RvaRange bounds;            // of the function; empty range if not known
  std::vector<SymbolFrame> frames;  // innermost inlined first, the function last; without lines where unknown
};

struct NameOptions {
  bool decorated = false;
};

// How it went, for -v, doctor and the end of reports.
struct ModuleState {
  std::string module;  // base name
  SymbolSource source = SymbolSource::none;
  std::string file;    // the PDB or image that answered
  std::string reason;  // why not better: "no PDB found (looked in …)", "PDB of another build (…)"
};

// Facts about the files for ModuleState; the symbolizer itself opens no file.
struct ModuleFiles {
  std::string image, pdb;       // paths
  std::string why_no_pdb = {};  // how the search ended (store/symbol_search.h), when it brought nothing
};

// Used by one thread at a time; several modules may be asked in parallel.
class ModuleSymbols {
 public:
  // pdb may be absent. A pdb whose id differs from the image's is rejected, with a text in ModuleState.reason.
  static ModuleSymbols make(std::string module_name, std::optional<PeFile> image, std::optional<PdbFile> pdb,
                            ModuleFiles files = {});
  ModuleSymbols(ModuleSymbols&&) noexcept;
  ModuleSymbols& operator=(ModuleSymbols&&) noexcept;
  ~ModuleSymbols();

  // addresses: sorted, unique. Answers in the same order, one each.
  std::vector<Answer> answer(const std::vector<code::Rva>& addresses, const NameOptions& options) const;
  // All names of functions, also several of one address, each maybe twice.
  void for_each_name(bool decorated, const std::function<void(code::Rva, std::string_view)>& visit) const;
  // After answers were given, `source` is the best of theirs.
  const ModuleState& state() const;
  const PeFile* image() const;
  const PdbFile* pdb() const;

 private:
  ModuleSymbols();
  struct State;
  std::unique_ptr<State> state_;
};

// "?x@@YAHH@Z" → "int __cdecl x(int)" reduced to the name: "x". Itanium and Rust names too; others unchanged.
std::string undecorated(std::string_view name);
// The same with the types of its parameters; empty where the name does not have them.
std::string signature(std::string_view name);

}  // namespace wperf::symbols
