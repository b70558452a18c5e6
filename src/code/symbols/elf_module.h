// SPDX-License-Identifier: BSD-3-Clause
// Finds functions, inlined frames and lines for addresses of one ELF module, in the DWARF, symbol tables, stubs and
// Go's function table of the files that exist. ModuleSymbols (symbolizer.h) does the same for PE images. Opens no
// files: takes their bytes, which must outlive this object. A module must be used by one thread at a time; several
// modules may be used in parallel.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/symbols/dwarf/dwarf_file.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_symbols.h"
#include "code/symbols/elf/function_cache.h"
#include "code/symbols/symbolization.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

struct ElfModuleFiles {
  Bytes image;                  // empty if it is not on this machine
  Bytes debug;                  // the separate debug file, found by build id or link; may be empty
  Bytes alternate;              // the file that .gnu_debugaltlink of the debug file (or image) names; may be empty
  SplitOpener open_split = {};  // for split DWARF; may be empty
  Bytes kept_functions = {};    // written by FunctionCache; may be empty. Ignored if damaged or if they belong to
                                // another file.
};

class ElfModule {
 public:
  // Returns an error if the image is damaged beyond use, or if there is neither image nor debug file. A debug file with
  // another build id is left out, and reason() says so.
  static diag::Result<ElfModule> make(const ElfModuleFiles& files);
  ElfModule(ElfModule&&) noexcept;
  ElfModule& operator=(ElfModule&&) noexcept;
  ~ElfModule();

  // `addresses` are linked addresses, not addresses in memory; sorted and unique.
  Symbolization answer(const std::vector<u64>& addresses, const SymbolQuery& query) const;
  // Finds only the function at one address.
  SymbolizedAddress function_at(u64 address, bool decorated) const;
  // See DwarfFile.
  std::vector<code::AddressRange> pieces_at(u64 address) const;

  // Visits all names of code; an address may have several. `decorated`: as the compiler made them.
  void for_each_name(bool decorated, const CodeNameVisitor& visit) const;

  const ElfFile* image() const;
  const ElfSymbols& symbols() const;  // empty if the cached functions are used
  bool has_kept_functions() const;
  static FunctionCacheKey key_of(const ElfModuleFiles& files, Bytes build_id);
  // The linked address of an offset in the mapped file. Without an image, uses the debug file's headers.
  std::optional<u64> address_of_offset(u64 file_offset) const;
  const std::string& reason() const;  // why there are no better names; empty if there is no reason

 private:
  ElfModule();
  struct State;
  std::unique_ptr<State> state_;
};

// For SplitOpener: the sections of a .dwo or .dwp file. They are valid as long as the file exists.
DwarfSections split_dwarf_sections(const ElfFile& file);

}  // namespace wperf::symbols
