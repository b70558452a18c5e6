// SPDX-License-Identifier: BSD-3-Clause
// DWARF 2 to 5 as bytes → functions, inlined frames, lines. Takes views of the sections (unpacked by the caller, who
// keeps them alive). The units' address ranges are read first, the rest of a unit when one of its addresses is asked
// for. Every bound is checked; damaged parts are left out and counted. Not for several threads at once. Results live as
// long as the DwarfFile and the sections.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::symbols {

struct DwarfSections {
  EndianBytes info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets;
  EndianBytes aranges;   // read only for DWARF 2, whose units cannot describe code in several pieces
  EndianBytes cu_index;  // of .dwp files
};

// A unit whose bulk the compiler left in a .dwo file.
struct SplitUnit {
  std::string_view name, folder;  // as the compiler wrote it; folder: for names that are relative
  u64 id = 0;
};

// The sections of the .dwo file of a unit, or of the .dwp file that has it (cu_index is set); empty: not available.
using SplitOpener = std::function<DwarfSections(const SplitUnit&)>;

struct DwarfFrame {
  std::string_view function;  // the linkage name if there is one; empty: nameless
  std::string_view file;      // empty: no line information
  u32 line = 0;               // 0 for code that the compiler assigned to no line
  u32 discriminator = 0;      // tells blocks of one line apart
  u32 declared_line = 0;      // of the function; 0 if not known or not wanted
  bool inlined = false;
};

struct DwarfFunction {  // or one of its pieces
  u64 begin = 0, end = 0;
  std::string_view name;  // the linkage name if there is one
};

struct DwarfDamage {
  u32 units = 0;    // units left out, wholly or from some place on
  u32 entries = 0;  // single references and ranges that make no sense
};

class DwarfFile {
 public:
  // alternate: the sections of the file that dwz made; empty if there is none.
  static DwarfFile open(const DwarfSections& sections, const DwarfSections& alternate, SplitOpener open_split);
  DwarfFile(DwarfFile&&) noexcept;
  DwarfFile& operator=(DwarfFile&&) noexcept;
  ~DwarfFile();

  // Innermost inlined frame first, the function last. With a line but no function: one frame without a name. Empty if
  // nothing is known.
  // `declarations`: with the lines of their functions' declarations.
  void frames_at(u64 address, std::vector<DwarfFrame>& out, bool declarations = false) const;
  // The function itself, not those inlined there; nullopt if it is not known or has no name.
  std::optional<DwarfFunction> function_at(u64 address) const;
  DwarfDamage damage() const;

 private:
  DwarfFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::symbols
