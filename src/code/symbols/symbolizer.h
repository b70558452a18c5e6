// SPDX-License-Identifier: BSD-3-Clause
// Addresses of one module → functions, inlined frames, lines, from the best source: its PDB; otherwise the DWARF and
// the COFF symbols in the image; otherwise its exports, the bounds of .pdata, or no names. Opens no files: store/ found
// them. One ModuleSymbols per module; modules asks it with sorted unique addresses.
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

// Texts live as long as the module.
struct Answer {
  code::Rva address;
  SymbolSource source = SymbolSource::none;
  std::string_view function;  // undecorated, or decorated on request; "function at 0x…" from .pdata; may be empty
  code::RvaRange bounds;      // of the function; an empty range if not known
  // Innermost inlined first, the function last; no lines if unknown. Padding may have a line but no function.
  std::vector<SymbolizedFrame> frames;
};

// The outcome, for -v, doctor and the end of reports.
struct ModuleState {
  std::string module;  // base name
  SymbolSource source = SymbolSource::none;
  std::string file;    // the PDB or image that answered
  std::string reason;  // why there is no better one: "no PDB found (looked in …)", "PDB of another build (…)"
};

// Facts about the files for ModuleState; the symbolizer itself opens no file.
struct ModuleFiles {
  std::string image, pdb;       // paths
  std::string why_no_pdb = {};  // how an unsuccessful search ended (store/symbol_search.h)
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
  std::vector<Answer> answer(const std::vector<code::Rva>& addresses, const SymbolQuery& options) const;
  // All names of functions; an address may have several, and a name may come twice.
  void for_each_name(bool decorated, const std::function<void(code::Rva, std::string_view)>& visit) const;
  // After lookups, `source` is the best source that was used.
  const ModuleState& state() const;
  const PeFile* image() const;
  const PdbFile* pdb() const;
  bool has_dwarf() const;  // and no PDB

  struct State;

 private:
  ModuleSymbols();
  std::unique_ptr<State> state_;
};

// "?x@@YAHH@Z" → "int __cdecl x(int)" reduced to the name: "x". Itanium and Rust names too; others unchanged.
std::string undecorated(std::string_view name);
// The same with the types of its parameters; empty if the name does not have them.
std::string signature(std::string_view name);

}  // namespace wperf::symbols
