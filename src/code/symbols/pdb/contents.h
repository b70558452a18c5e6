// SPDX-License-Identifier: BSD-3-Clause
// The tables of contents of a PDB. Stream 1 has the PDB's build id and the named streams. Stream 3, "debug
// information", lists the compilands, the code that each of them contributed, the sections of the image, and the
// streams with everything else.
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

// Stream 1: the build id of this PDB, and the named streams.
std::optional<code::PdbId> parse_pdb_id(bytes::View info_stream);
// The number of the stream called `name`.
std::optional<u32> find_named_stream(bytes::View info_stream, std::string_view name);
// The texts of the stream "/names"; offsets count from its beginning. Empty if it is damaged.
bytes::View parse_names(bytes::View names_stream);

// Stream 3, "debug information": the table of contents with the compilands, their code, the sections of the image, and
// the other streams.

// One compiland. Its stream has the symbols, then lines in an obsolete format (C11), then lines (C13).
struct Compiland {
  std::string_view name;
  u32 stream;  // kNoStream if there is none
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
  u32 debug_stream(DebugHeader place) const;  // kNoStream if the linker left out the stream

 private:
  DbiHeader header_{};
  bytes::View compilands_;
  bytes::View contributions_;
  bytes::Table<u16> debug_headers_;
};

// Maps each piece of code to its compiland. The linker writes the pieces in order, so a search reads only a few and
// copies nothing. If they are not in order, they are sorted once.
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
  std::vector<Piece> sorted_;  // used only if the pieces are not in order
  Piece last_{};               // the last result, because neighbours are often requested together
};

}  // namespace wperf::symbols::pdb
