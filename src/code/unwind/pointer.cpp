// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/pointer.h"

namespace wperf::unwind {
namespace {

std::optional<u64> read_format(symbols::dwarf::Cursor& cursor, u8 format) {
  switch (format) {
    case 0x00:  // an address
    case 0x04:
    case 0x0c:
      return cursor.number<u64>();
    case 0x01:
      return cursor.uleb();
    case 0x02:
      return cursor.number<u16>();
    case 0x03:
      return cursor.number<u32>();
    case 0x09:
      return static_cast<u64>(cursor.sleb());
    case 0x0a:
      return static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int16_t>(cursor.number<u16>())));
    case 0x0b:
      return static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(cursor.number<u32>())));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<u64> read_pointer(symbols::dwarf::Cursor& cursor, u8 encoding, u64 part_address, u64 data_address) {
  u64 base = 0;
  switch (encoding & 0x70) {
    case 0x00:
      break;
    case 0x10:
      base = part_address + cursor.offset();
      break;
    case 0x30:
      base = data_address;
      break;
    default:
      return std::nullopt;
  }
  const auto value = read_format(cursor, encoding & 0x0f);
  if (!value.has_value() || cursor.failed()) return std::nullopt;
  return *value + base;
}

}  // namespace wperf::unwind
