// SPDX-License-Identifier: BSD-3-Clause
// Which compiland a piece of code came from. The linker writes the pieces in order, so a search reads a few of them and
// nothing is copied; if they are out of order after all, they are sorted once.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

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
  std::vector<Piece> sorted_;  // only when the file's order is wrong
  Piece last_{};               // the last answer: neighbours are asked for together
};

}  // namespace wperf::symbols::pdb
