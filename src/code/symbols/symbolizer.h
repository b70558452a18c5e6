// SPDX-License-Identifier: BSD-3-Clause
// Finds functions, inlined frames and lines for addresses of one module. Uses the best source: the PDB; without it the
// DWARF and COFF symbols in the image, or Go's function table; without them the exports or the bounds in .pdata. Opens
// no files; store/ finds them. Each module has its own ModuleSymbols.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/symbols/dwarf/dwarf_file.h"
#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pe/pe_file.h"
#include "code/symbols/symbolization.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

// Texts are valid as long as the module exists.
struct Answer {
  code::Rva address;
  SymbolSource source = SymbolSource::none;
  std::string_view function;  // undecorated, or decorated on request; "function at 0x…" if only .pdata has it, "code at
                              // 0x…" if only its code shows it; may be empty
  code::RvaRange bounds;      // range of the function; empty if not known
  // Innermost inlined first, the function last; without lines if they are unknown.
  // Padding may have a line but no function.
  std::vector<SymbolizedFrame> frames;
};

// The result, for -v, doctor and the end of reports.
struct ModuleState {
  std::string module;  // base name
  SymbolSource source = SymbolSource::none;
  std::string file;    // the PDB or image with the names
  std::string reason;  // why there is no better source: "no PDB found (looked in …)", "PDB of another build (…)"
};

// Facts about the files, for ModuleState; the symbolizer itself opens no files.
struct ModuleFiles {
  std::string image, pdb;       // paths
  std::string why_no_pdb = {};  // why the search failed (store/symbol_search.h)
};

// Must be used by one thread at a time; several modules may be used in parallel.
class ModuleSymbols {
 public:
  // `pdb` may be missing. If its id differs from the image's, it is rejected, and ModuleState.reason says so.
  static ModuleSymbols make(std::string module_name, std::optional<PeFile> image, std::optional<PdbFile> pdb,
                            ModuleFiles files = {});
  ModuleSymbols(ModuleSymbols&&) noexcept;
  ModuleSymbols& operator=(ModuleSymbols&&) noexcept;
  ~ModuleSymbols();

  // `addresses` must be sorted and unique. Returns one answer for each, in the same order.
  std::vector<Answer> answer(const std::vector<code::Rva>& addresses, const SymbolQuery& options) const;
  std::vector<code::AddressRange> pieces_at(code::Rva rva) const;  // see ImageDwarf
  // Visits all names of functions; an address may have several, and a name may occur twice.
  void for_each_name(bool decorated, const std::function<void(code::Rva, std::string_view)>& visit) const;
  // After lookups, `source` is the best source that was used.
  const ModuleState& state() const;
  const PeFile* image() const;
  const PdbFile* pdb() const;
  bool has_dwarf() const;  // has DWARF and no PDB

  struct State;

 private:
  ModuleSymbols();
  std::unique_ptr<State> state_;
};

// Undecorates "?x@@YAHH@Z", which is "int __cdecl x(int)", to the name only: "x". Itanium and Rust names are
// undecorated, too; other names are returned unchanged.
std::string undecorated(std::string_view name);
// The name with the types of its parameters; empty if the decorated name does not have them.
std::string signature(std::string_view name);

}  // namespace wperf::symbols
