// SPDX-License-Identifier: BSD-3-Clause
// Addresses of one ELF module → functions, inlined frames, lines, from the files that exist: DWARF, symbol tables,
// stubs. ModuleSymbols (symbolizer.h) does the same for PE images. Opens no files: takes their bytes, which must
// outlive it. Used by one thread at a time; several modules may be used in parallel.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/dwarf/dwarf_file.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_symbols.h"
#include "code/symbols/elf/function_cache.h"
#include "code/symbols/symbolization.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

struct ElfModuleFiles {
  Bytes image;                  // empty if not on this machine
  Bytes debug;                  // its separate debug file, found by build id or link; may be empty
  Bytes alternate;              // the file named by .gnu_debugaltlink of the debug file (or image); may be empty
  SplitOpener open_split = {};  // for split DWARF; may be empty
  Bytes kept_functions = {};    // as FunctionCache wrote them; may be empty. Damaged ones, and those of another file,
                                // are not used.
};

class ElfModule {
 public:
  // An error if the image is damaged beyond use, or if there is neither image nor debug file. A debug file with another
  // build id is left out, with a text in reason().
  static diag::Result<ElfModule> make(const ElfModuleFiles& files);
  ElfModule(ElfModule&&) noexcept;
  ElfModule& operator=(ElfModule&&) noexcept;
  ~ElfModule();

  // addresses: as linked (not as loaded), sorted, unique.
  Symbolization answer(const std::vector<u64>& addresses, const SymbolQuery& query) const;
  // Only the function, for one address.
  SymbolizedAddress function_at(u64 address, bool decorated) const;

  // All names of code, an address may have several; decorated: as compilers made them.
  void for_each_name(bool decorated, const CodeNameVisitor& visit) const;

  const ElfFile* image() const;
  const ElfSymbols& symbols() const;  // if there are none, cached functions answer
  bool has_kept_functions() const;
  static FunctionCacheKey key_of(const ElfModuleFiles& files, Bytes build_id);
  // The address as linked of a place in the mapped file. Without an image, uses the debug file's headers.
  std::optional<u64> address_of_offset(u64 file_offset) const;
  const std::string& reason() const;  // why there are no better names; empty if they are the best possible

 private:
  ElfModule();
  struct State;
  std::unique_ptr<State> state_;
};

// For SplitOpener: the sections of a .dwo or .dwp file. They live as long as the file.
DwarfSections split_dwarf_sections(const ElfFile& file);

}  // namespace wperf::symbols
