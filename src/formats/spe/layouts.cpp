// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/layouts.h"

#include <cstring>

namespace wperf::spe::detail {
namespace {

// Returns false if the layout cannot be learned, because it has a field twice or packets that the table does not know.
bool describe(std::span<const u8> record, Layout& layout) {
  std::array<u8, Layout::kMostBytes> fixed{};
  std::array<u8, Layout::kMostBytes> wanted{};
  for (usize at = 0; at < record.size();) {
    const Shape& shape = kShapes[record[at]];
    if (shape.step == Step::rare || record.size() - at < shape.size) return false;
    fixed[at] = 0xff;
    wanted[at] = record[at];
    if (shape.slot < kFieldCount) {
      const u32 bit = u32{1} << shape.slot;
      if ((layout.present & bit) != 0) return false;
      layout.present |= bit;
      layout.offsets[shape.slot] = static_cast<u8>(at + 1);
      layout.masks[shape.slot] = shape.mask;
      layout.operation_above = static_cast<u16>(layout.operation_above | shape.above);
    }
    at += shape.size;
  }
  std::memcpy(layout.fixed.data(), fixed.data(), fixed.size());
  std::memcpy(layout.wanted.data(), wanted.data(), wanted.size());
  layout.size = static_cast<u32>(record.size());
  return (layout.present & ~(u32{1} << static_cast<u32>(Field::timestamp))) != 0;
}

}  // namespace

void Layouts::learn(std::span<const u8> record) {
  if (record.size() > Layout::kMostBytes) return;
  if (count_ == kMost && ++strangers_ % kPatience != 0) return;
  Layout layout;
  if (!describe(record, layout)) return;
  layouts_[next_] = layout;
  next_ = (next_ + 1) % kMost;
  if (count_ < kMost) ++count_;
}

}  // namespace wperf::spe::detail
