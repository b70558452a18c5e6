// SPDX-License-Identifier: BSD-3-Clause
// Finds functions, lines and inlined frames in a PDB. Takes a view of the whole file, which the caller must keep
// mapped. Copies only non-contiguous blocks, and checks every bound once, at the lowest level. A damaged stream is left
// out and counted; all other streams are used. Not thread-safe, because queries read parts on demand. Results (names,
// pointers, spans) are valid as long as the PdbFile exists and the file is mapped.
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
  u32 size = 0;           // 0 for a public symbol, which has no size
  std::string_view name;  // as in the PDB: undecorated for procedures, decorated for public symbols
  u32 module = 0;         // number of the compiland; ~0u for public symbols
  bool is_public = false;
};

struct Line {
  code::Rva rva;
  u32 size = 0;
  u32 line = 0;  // 0 for code that the compiler assigned to no line
  std::string_view file;
};

// One logical frame at an address. The innermost frame is first; the function itself is last.
struct Frame {
  std::string_view function;
  std::string_view file;  // empty if there is no line information
  u32 line = 0;
  u32 declared_line = 0;       // line of the function's declaration; 0 if not known or not requested
  bool is_first_line = false;  // `declared_line` is the first line of the function's code, because the PDB has no
                               // declaration
  bool inlined = false;
};

struct Damage {
  u32 streams = 0;  // streams, compilands and subsections that had to be left out
  u32 records = 0;  // single records
};

class PdbFile {
 public:
  static diag::Result<PdbFile> open(std::span<const std::byte> file);  // reads only headers; everything else is read on
                                                                       // demand
  PdbFile(PdbFile&&) noexcept;
  PdbFile& operator=(PdbFile&&) noexcept;
  ~PdbFile();

  const code::PdbId& id() const;  // the GUID, and the age in DBI, which is also the image's age

  // All procedures and thunks, and the public symbols of code without a procedure, ordered by RVA. Read on first use.
  // All functions that the linker folded into one address are included, in the order of the compilands.
  std::span<const Function> functions() const;
  // All public symbols, ordered by RVA; decorated.
  std::span<const Function> publics() const;
  // Returns the procedure that contains the address. If no procedure contains it, returns the nearest public symbol at
  // or below the address in the same section. If several procedures were folded into one address, returns the first one
  // in the compiland whose code was kept.
  const Function* function_at(code::Rva rva) const;
  // Innermost inlined frame first. Empty if nothing is known. `declarations`: also find the declared lines of
  // functions; a PDB has them only for functions that were inlined somewhere.
  void frames_at(code::Rva rva, std::vector<Frame>& out, bool declarations = false) const;
  // Was the code at this address compiled as C? Then its names are not decorated.
  bool is_c_at(code::Rva rva) const;
  std::optional<Line> line_at(code::Rva rva) const;
  // All line rows of the function itself, not of functions inlined into it, ordered by RVA.
  std::vector<Line> lines_of(const Function& function) const;
  // All line rows of the file, ordered by compiland, then by RVA.
  std::vector<Line> all_lines() const;
  Damage damage() const;

 private:
  PdbFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::symbols
