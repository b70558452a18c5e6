// SPDX-License-Identifier: BSD-3-Clause
// Stream 3, "debug information": the table of contents. Its compilands, which code each contributed, where the sections
// of the image are, and which streams hold the rest.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// One compiland. Its stream holds the symbols, then lines in a dead format (C11), then lines (C13).
struct Compiland {
  std::string_view name;
  u32 stream;  // kNoStream: none
  u32 symbols_size;
  u32 c11_size;
  u32 c13_size;
};

class Dbi {
 public:
  static std::optional<Dbi> parse(bytes::View stream);  // reads only the header
  const DbiHeader& header() const { return header_; }
  std::vector<Compiland> compilands(Damage& damage) const;
  bytes::View contributions() const { return contributions_; }
  u32 debug_stream(DebugHeader place) const;  // kNoStream: the linker left it out

 private:
  DbiHeader header_{};
  bytes::View compilands_;
  bytes::View contributions_;
  bytes::Table<u16> debug_headers_;
};

}  // namespace wperf::symbols::pdb
