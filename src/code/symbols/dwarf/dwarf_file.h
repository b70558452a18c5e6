// SPDX-License-Identifier: BSD-3-Clause
// Finds functions, inlined frames and lines in DWARF 2 to 5. Takes views of the sections, which the caller unpacks and
// keeps alive. The units' address ranges are read first; other parts of a unit are read when one of its addresses is
// looked up. Every bound is checked; damaged parts are left out and counted. Not thread-safe. Results are valid as long
// as the DwarfFile and the sections exist.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/symbols/elf/endian_bytes.h"

namespace wperf::symbols {

struct DwarfSections {
  EndianBytes info, abbrev, line, str, line_str, ranges, rnglists, addr, str_offsets;
  EndianBytes aranges;   // only read for DWARF 2, whose units cannot describe code in several pieces
  EndianBytes cu_index;  // of .dwp files
};

// All sections except cu_index. contents(name) returns the contents of a section.
template <class Contents>
DwarfSections sections_by_name(const Contents& contents) {
  return {.info = contents(".debug_info"),
          .abbrev = contents(".debug_abbrev"),
          .line = contents(".debug_line"),
          .str = contents(".debug_str"),
          .line_str = contents(".debug_line_str"),
          .ranges = contents(".debug_ranges"),
          .rnglists = contents(".debug_rnglists"),
          .addr = contents(".debug_addr"),
          .str_offsets = contents(".debug_str_offsets"),
          .aranges = contents(".debug_aranges"),
          .cu_index = {}};
}

// A unit that is mostly in a .dwo file.
struct SplitUnit {
  std::string_view name, folder;  // as the compiler wrote them; relative names are relative to `folder`
  u64 id = 0;
};

// The sections of a unit's .dwo file, or of the .dwp file that contains the unit (then cu_index is set); empty if not
// available.
using SplitOpener = std::function<DwarfSections(const SplitUnit&)>;

struct DwarfFrame {
  std::string_view function;  // the linkage name if there is one; empty for a function without a name
  std::string_view file;      // empty if there is no line information
  u32 line = 0;               // 0 for code that the compiler assigned to no line
  u32 discriminator = 0;      // distinguishes the blocks of a line
  u32 declared_line = 0;      // line of the function's declaration; 0 if not known or not requested
  bool inlined = false;
};

struct DwarfFunction {  // a function, or one of its pieces
  u64 begin = 0, end = 0;
  std::string_view name;  // the linkage name if there is one
};

struct DwarfDamage {
  u32 units = 0;    // units that were left out, completely or partly
  u32 entries = 0;  // single invalid references and ranges
};

class DwarfFile {
 public:
  // `alternate`: the sections of the file that dwz made; empty if there is none.
  static DwarfFile open(const DwarfSections& sections, const DwarfSections& alternate, SplitOpener open_split);
  DwarfFile(DwarfFile&&) noexcept;
  DwarfFile& operator=(DwarfFile&&) noexcept;
  ~DwarfFile();

  // Innermost inlined frame first, the function last. If only a line is known, the result is one frame without a name.
  // If nothing is known, it is empty. `declarations`: also find the lines of the functions' declarations.
  void frames_at(u64 address, std::vector<DwarfFrame>& out, bool declarations = false) const;
  // The outermost function, not an inlined one; nullopt if it is unknown or has no name.
  std::optional<DwarfFunction> function_at(u64 address) const;
  // The pieces of the function at an address, if it has several, for example hot and cold code. Otherwise empty.
  std::vector<code::AddressRange> pieces_at(u64 address) const;
  DwarfDamage damage() const;

 private:
  DwarfFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::symbols
