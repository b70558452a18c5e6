// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/contributions.h"

#include <algorithm>
#include <tuple>

namespace wperf::symbols::pdb {
namespace {

// Empty pieces may lie between an address and the piece around it.
constexpr u32 kMostEmptyPieces = 64;

template <typename Piece>
bool is_before(const Piece& a, const Piece& b) {
  return std::tie(a.section, a.offset) < std::tie(b.section, b.offset);
}

}  // namespace

Contributions::Contributions(bytes::View substream) {
  u32 version = 0;
  if (!substream.load(0, version)) return;
  has_wide_ = version == kContributions2;
  if (version == kContributions1) narrow_ = bytes::Table<Contribution>(substream.from(sizeof(u32)));
  if (version == kContributions2) wide_ = bytes::Table<Contribution2>(substream.from(sizeof(u32)));
}

Contributions::Piece Contributions::piece(u64 index) const {
  if (!sorted_.empty()) return sorted_[index];
  const Contribution contribution = has_wide_ ? wide_.at(index).first : narrow_.at(index);
  return {contribution.section, contribution.module, contribution.offset, contribution.size};
}

std::optional<u32> Contributions::compiland_at(AddressMap::Place place) {
  const auto is_inside = [&](const Piece& one) {
    return one.section == place.section && one.offset <= place.offset && place.offset - one.offset < one.size;
  };
  if (is_inside(last_)) return last_.compiland;
  for (u32 attempt = 0; attempt < 2; ++attempt) {
    u64 low = 0;
    u64 high = count();
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (is_before(Piece{place.section, 0, place.offset, 0}, piece(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (u32 step = 0; step < kMostEmptyPieces && low > 0; ++step, --low) {
      const Piece found = piece(low - 1);
      if (is_inside(found)) {
        last_ = found;
        return found.compiland;
      }
      if (found.section != place.section || found.size != 0) break;
    }
    if (order_is_known_ || ensure_order()) break;
  }
  return std::nullopt;
}

// Sorts the contributions once if they are out of order. True: they were in order.
bool Contributions::ensure_order() {
  order_is_known_ = true;
  bool sorted = true;
  for (u64 i = 1; i < count() && sorted; ++i) {
    sorted = !is_before(piece(i), piece(i - 1));
  }
  if (sorted) return true;
  std::vector<Piece> pieces;
  pieces.reserve(count());
  for (u64 i = 0; i < count(); ++i) {
    pieces.push_back(piece(i));
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.section, a.offset, a.size, a.compiland) < std::tie(b.section, b.offset, b.size, b.compiland);
  });
  sorted_ = std::move(pieces);
  return false;
}

}  // namespace wperf::symbols::pdb
