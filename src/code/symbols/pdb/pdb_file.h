// SPDX-License-Identifier: BSD-3-Clause
// A PDB as bytes → functions, lines, inlined frames. Takes a view of the whole file (memory-mapped by the caller, who
// keeps it alive). Copies only non-contiguous blocks, and checks every bound once, at the lowest level. A damaged
// stream is left out and counted; the rest is used. Not for several threads at once: queries fill in parts that were
// not read yet. Results (names, pointers, spans) live as long as the PdbFile and the file.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

struct Function {
  code::Rva rva;
  u32 size = 0;           // 0 for a public, which has no size
  std::string_view name;  // as the PDB spells it: undecorated for procedures, decorated for publics
  u32 module = 0;         // compiland; ~0u for publics
  bool is_public = false;
};

struct Line {
  code::Rva rva;
  u32 size = 0;
  u32 line = 0;  // 0 for code that the compiler assigned to no line
  std::string_view file;
};

// One logical frame at an address; the innermost first, the function itself last.
struct Frame {
  std::string_view function;
  std::string_view file;  // empty: no line information
  u32 line = 0;
  u32 declared_line = 0;       // of the function; 0 if not known or not wanted
  bool is_first_line = false;  // of the function's code: instead of a declared line that the PDB lacks
  bool inlined = false;
};

struct Damage {
  u32 streams = 0;  // streams, compilands or subsections that had to be left out
  u32 records = 0;  // single records
};

class PdbFile {
 public:
  static diag::Result<PdbFile> open(std::span<const std::byte> file);  // reads headers only; the rest on demand
  PdbFile(PdbFile&&) noexcept;
  PdbFile& operator=(PdbFile&&) noexcept;
  ~PdbFile();

  const code::PdbId& id() const;  // the GUID, and the age in DBI, which is also the image's

  // All procedures and thunks (with the publics of code that no procedure covers), by RVA. Read on first use. Functions
  // that the linker folded into one address are all in the result, in the order of the compilands.
  std::span<const Function> functions() const;
  // All publics by RVA, decorated.
  std::span<const Function> publics() const;
  // The procedure that contains the address, otherwise the nearest public at or below it in its section. If several
  // were folded into one address, the first one in the compiland whose code was kept.
  const Function* function_at(code::Rva rva) const;
  // Innermost inlined frame first. Empty if nothing is known. `declarations`: with the declared lines of functions. A
  // PDB has them for functions that were inlined somewhere.
  void frames_at(code::Rva rva, std::vector<Frame>& out, bool declarations = false) const;
  // Was the code at the address compiled as C? Then names are not decorated.
  bool is_c_at(code::Rva rva) const;
  std::optional<Line> line_at(code::Rva rva) const;
  // Every line row of the function, by RVA: its own rows, not those of its inlinees.
  std::vector<Line> lines_of(const Function& function) const;
  // Every line row of the file, by compiland, then by RVA.
  std::vector<Line> all_lines() const;
  Damage damage() const;

 private:
  PdbFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::symbols
