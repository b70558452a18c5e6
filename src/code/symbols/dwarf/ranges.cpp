// SPDX-License-Identifier: BSD-3-Clause
// .debug_ranges, .debug_rnglists and .debug_aranges.
#include "code/symbols/dwarf/dwarf_format.h"
#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {
namespace {

const Unit& holder_of(const Unit& unit) {
  return unit.skeleton != nullptr ? *unit.skeleton : unit;
}

class RangeSink {
 public:
  RangeSink(const Unit& unit, std::vector<code::AddressRange>& out, DwarfDamage& damage)
      : largest_(unit.widths.address == 8 ? ~u64{0} : (u64{1} << (8 * unit.widths.address)) - 1),
        file_(unit.widths.version >= 5 ? *unit.file : *holder_of(unit).file),
        out_(out),
        damage_(damage) {}

  u64 largest() const { return largest_; }
  bool may_read_entry() {
    if (file_.range_entries_left == 0) return false;
    --file_.range_entries_left;
    return true;
  }
  // Linkers write 0 or an address just below the largest one for code that they dropped.
  void add(u64 begin, u64 end) {
    if (begin == 0 || begin >= largest_ - 1 || begin == end) return;
    if (begin > end) {
      ++damage_.entries;
      return;
    }
    out_.push_back({begin, end});
  }
  void add_sized(u64 begin, u64 size) { add(begin, size <= largest_ - begin ? begin + size : largest_); }
  void missing() { ++damage_.entries; }

 private:
  u64 largest_;
  const InfoFile& file_;
  std::vector<code::AddressRange>& out_;
  DwarfDamage& damage_;
};

void read_old_list(const Unit& unit, u64 offset, RangeSink& sink) {
  const Unit& holder = holder_of(unit);
  Cursor cursor(holder.file->sections.ranges, offset);
  u64 base = holder.low_pc.value_or(0);
  bool base_is_dropped = false;
  while (true) {
    const u64 begin = cursor.sized(unit.widths.address), end = cursor.sized(unit.widths.address);
    if (cursor.failed() || !sink.may_read_entry()) return sink.missing();
    if (begin == 0 && end == 0) return;
    if (begin == sink.largest()) {
      base = end;
      base_is_dropped = base >= sink.largest() - 1;
    } else if (!base_is_dropped && begin < sink.largest() - 1) {
      sink.add((base + begin) & sink.largest(), (base + end) & sink.largest());
    }
  }
}

void read_new_list(const Unit& unit, u64 offset, RangeSink& sink) {
  Cursor cursor(unit.file->sections.rnglists, offset);
  const u8 width = unit.widths.address;
  u64 base = holder_of(unit).low_pc.value_or(0);
  while (!cursor.failed()) {
    const u8 kind = cursor.number<u8>();
    if (cursor.failed() || !sink.may_read_entry()) break;
    switch (kind) {
      case kRangeEnd:
        return;
      case kRangeBaseX:
        base = address_of_index(unit, cursor.uleb()).value_or(0);
        break;
      case kRangeBase:
        base = cursor.sized(width);
        break;
      case kRangeOffsetPair: {
        const u64 begin = cursor.uleb(), end = cursor.uleb();
        const bool is_dropped = base >= sink.largest() - 1;
        if (!cursor.failed() && !is_dropped) sink.add(base + begin, base + end);
        break;
      }
      case kRangeStartXEndX: {
        const u64 begin = cursor.uleb(), end = cursor.uleb();
        const auto from = address_of_index(unit, begin), to = address_of_index(unit, end);
        if (from.has_value() && to.has_value()) sink.add(*from, *to);
        break;
      }
      case kRangeStartXLength: {
        const u64 begin = cursor.uleb(), size = cursor.uleb();
        if (const auto from = address_of_index(unit, begin); from.has_value()) sink.add_sized(*from, size);
        break;
      }
      case kRangeStartEnd: {
        const u64 begin = cursor.sized(width), end = cursor.sized(width);
        if (!cursor.failed()) sink.add(begin, end);
        break;
      }
      case kRangeStartLength: {
        const u64 begin = cursor.sized(width), size = cursor.uleb();
        if (!cursor.failed()) sink.add_sized(begin, size);
        break;
      }
      default:
        return sink.missing();
    }
  }
  sink.missing();
}

}  // namespace

void read_ranges(const Unit& unit, const RangeValues& values, std::vector<code::AddressRange>& out,
                 DwarfDamage& damage) {
  const auto& [low, high, ranges] = values;
  RangeSink sink(unit, out, damage);
  if (ranges.kind == ValueKind::range_index) {
    const u8 width = unit.widths.offset;
    const u64 base = unit.range_lists_base;
    if (ranges.number > unit.file->sections.rnglists.size() || base > unit.file->sections.rnglists.size()) {
      return sink.missing();
    }
    Cursor cursor(unit.file->sections.rnglists, base + ranges.number * width);
    const u64 offset = cursor.sized(width);
    if (cursor.failed() || offset > unit.file->sections.rnglists.size()) return sink.missing();
    return read_new_list(unit, base + offset, sink);
  }
  if (ranges.kind == ValueKind::offset || ranges.kind == ValueKind::number) {
    if (unit.widths.version >= 5) return read_new_list(unit, ranges.number, sink);
    return read_old_list(unit, ranges.number + (unit.skeleton != nullptr ? unit.skeleton->gnu_ranges_base : 0), sink);
  }
  const auto begin = address_of(unit, low);
  if (!begin.has_value()) return;
  if (high.kind == ValueKind::number || high.kind == ValueKind::offset) {
    sink.add_sized(*begin, high.number);  // in DWARF 4, the size
  } else if (const auto end = address_of(unit, high); end.has_value()) {
    sink.add(*begin, *end);
  }
}

std::map<u64, std::vector<code::AddressRange>> read_address_table(const InfoFile& file) {
  std::map<u64, std::vector<code::AddressRange>> out;
  const EndianBytes& section = file.sections.aranges;
  u64 at = 0;
  while (at < section.size()) {
    Cursor cursor(section, at);
    u64 length = cursor.number<u32>();
    const u8 offset_width = length == 0xffffffffu ? 8 : 4;
    if (offset_width == 8) length = cursor.number<u64>();
    if (cursor.failed() || length > cursor.left()) break;
    const u64 end = cursor.offset() + length;
    const u16 version = cursor.number<u16>();
    const u64 unit = cursor.sized(offset_width);
    const u8 width = cursor.number<u8>();
    const u8 segment = cursor.number<u8>();
    if (version == 2 && (width == 4 || width == 8) && segment == 0) {
      const u64 pair = 2 * u64{width};
      cursor.skip((pair - (cursor.offset() - at) % pair) % pair);
      while (!cursor.failed() && cursor.offset() + pair <= end) {
        const u64 begin = cursor.sized(width), size = cursor.sized(width);
        if (begin != 0 && size != 0 && size <= ~u64{0} - begin) out[unit].push_back({begin, begin + size});
      }
    }
    at = end;
  }
  return out;
}

}  // namespace wperf::symbols::dwarf
