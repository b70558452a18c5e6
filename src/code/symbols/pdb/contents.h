// SPDX-License-Identifier: BSD-3-Clause
// The tables of contents of a PDB. Stream 1 says which build the file belongs to and which streams have names. Stream
// 3, "debug information", lists the compilands, the code that each contributed, the sections of the image, and the
// streams that hold the rest.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// Stream 1: which build this PDB belongs to, and the streams that have names instead of numbers.
std::optional<code::PdbId> parse_pdb_id(bytes::View info_stream);
// The number of the stream called `name`.
std::optional<u32> find_named_stream(bytes::View info_stream, std::string_view name);
// The texts of the stream "/names"; offsets count from its beginning. Empty if damaged.
bytes::View parse_names(bytes::View names_stream);

// Stream 3, "debug information": the table of contents. Its compilands, which code each contributed, where the sections
// of the image are, and which streams hold the rest.

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
  u32 debug_stream(DebugHeader place) const;  // kNoStream if the linker left it out

 private:
  DbiHeader header_{};
  bytes::View compilands_;
  bytes::View contributions_;
  bytes::Table<u16> debug_headers_;
};

// Which compiland a piece of code came from. The linker writes the pieces in order, so a search reads a few of them and
// nothing is copied; if they are out of order after all, they are sorted once.
class Contributions {
 public:
  Contributions() = default;
  explicit Contributions(bytes::View substream);
  bool empty() const { return count() == 0; }
  std::optional<u32> compiland_at(AddressMap::Place place);

 private:
  struct Piece {
    u16 section;
    u16 compiland;
    u32 offset;
    u32 size;
  };
  u64 count() const { return has_wide_ ? wide_.size() : narrow_.size(); }
  Piece piece(u64 index) const;
  bool ensure_order();

  bool has_wide_ = false;
  bytes::Table<Contribution> narrow_;
  bytes::Table<Contribution2> wide_;
  bool order_is_known_ = false;
  std::vector<Piece> sorted_;  // used only if the file's order is wrong
  Piece last_{};               // the last answer, because neighbours are asked for together
};

}  // namespace wperf::symbols::pdb
