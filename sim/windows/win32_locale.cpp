// SPDX-License-Identifier: BSD-3-Clause
// Comparison, case and classes of letters. The machine's language has the letters of ASCII; all others are letters
// without case.
#include <algorithm>
#include <optional>
#include <vector>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kLongestText = 16 << 20;

u16 small(u16 unit) {
  return unit >= 'A' && unit <= 'Z' ? static_cast<u16>(unit + 32) : unit;
}
u16 large(u16 unit) {
  return unit >= 'a' && unit <= 'z' ? static_cast<u16>(unit - 32) : unit;
}

// Reads `count` units, or for -1 all up to and including the terminator. Returns nullopt if the program has crashed, or
// with the last error set.
std::optional<std::vector<u16>> units_at(Win32Call& call, u64 address, u32 count) {
  u64 length = count;
  if (count == ~0u) {
    if (!call.state.memory.length_of(address, sizeof(u16), length)) {
      call.crash("no readable text at " + hex(address));
      return std::nullopt;
    }
    ++length;
  }
  if (length > kLongestText) {
    call.set_last_error(kErrorInvalidParameter);
    return std::nullopt;
  }
  std::vector<u16> units(length);
  if (!call.read(address, units.data(), length * sizeof(u16))) return std::nullopt;
  return units;
}

// Takes text, length, text, length from argument `first` on. Returns 1, 2, 3 for less, equal, greater; 0 on failure.
u64 compare_texts(Win32Call& call, u32 first, bool ignores_case) {
  const auto left = units_at(call, call.argument(first), call.argument32(first + 1));
  const auto right = left ? units_at(call, call.argument(first + 2), call.argument32(first + 3)) : std::nullopt;
  if (!right) return 0;
  const usize common = std::min(left->size(), right->size());
  for (usize index = 0; index < common; ++index) {
    const u16 one = ignores_case ? large((*left)[index]) : (*left)[index];
    const u16 other = ignores_case ? large((*right)[index]) : (*right)[index];
    if (one != other) return one < other ? 1 : 3;
  }
  return left->size() == right->size() ? 2 : left->size() < right->size() ? 1 : 3;
}

u64 compare_string(Win32Call& call) {  // language, flags, then the texts
  constexpr u32 kIgnoreCase = 1, kLinguisticIgnoreCase = 0x10;
  return compare_texts(call, 2, (call.argument32(1) & (kIgnoreCase | kLinguisticIgnoreCase)) != 0);
}

u64 compare_ordinal(Win32Call& call) {  // the texts, ignore case
  return compare_texts(call, 0, call.argument32(4) != 0);
}

u64 map_string(Win32Call& call) {  // language, flags, text, length, out, capacity
  constexpr u32 kLower = 0x100, kUpper = 0x200, kSortKey = 0x400;
  const u32 flags = call.argument32(1), capacity = call.argument32(5);
  if ((flags & kSortKey) != 0) return call.fail(kErrorNotSupported);
  auto units = units_at(call, call.argument(2), call.argument32(3));
  if (!units) return 0;
  for (u16& unit : *units) {
    if ((flags & kLower) != 0) unit = small(unit);
    if ((flags & kUpper) != 0) unit = large(unit);
  }
  if (capacity == 0) return units->size();
  if (capacity < units->size()) return call.fail(kErrorInsufficientBuffer);
  return call.write(call.argument(4), units->data(), units->size() * sizeof(u16)) ? units->size() : 0;
}

u16 type_of(u16 unit) {
  constexpr u32 kLarge = 1, kSmall = 2, kDigit = 4, kSpace = 8, kMark = 0x10, kControl = 0x20, kBlank = 0x40,
                kHexadecimal = 0x80, kLetter = 0x100, kDefined = 0x200;
  u32 type = kDefined;
  if (unit < 0x20 || unit == 0x7f) type |= kControl;
  if (unit == ' ' || (unit >= 9 && unit <= 13)) type |= kSpace;
  if (unit == ' ' || unit == '\t') type |= kBlank;
  if (small(unit) >= 'a' && small(unit) <= 'f') type |= kHexadecimal;
  if (unit >= '0' && unit <= '9')
    type |= kDigit | kHexadecimal;
  else if (small(unit) != unit)
    type |= kLarge | kLetter;
  else if (large(unit) != unit)
    type |= kSmall | kLetter;
  else if (unit > ' ' && unit < 0x7f)
    type |= kMark;
  else if (unit >= 0xaa)
    type |= kLetter;
  return static_cast<u16>(type);
}

u64 string_type(Win32Call& call) {  // which types, text, length, out
  constexpr u32 kOfCharacters = 1;
  if (call.argument32(0) != kOfCharacters) return call.fail(kErrorInvalidParameter);
  auto units = units_at(call, call.argument(1), call.argument32(2));
  if (!units) return 0;
  std::transform(units->begin(), units->end(), units->begin(), type_of);
  return call.write(call.argument(3), units->data(), units->size() * sizeof(u16));
}

constexpr Win32Function kLocale[] = {
    {"CompareStringW", kKernelDll, compare_string},
    {"CompareStringEx", kKernelDll, compare_string},
    {"CompareStringOrdinal", kKernelDll, compare_ordinal},
    {"LCMapStringW", kKernelDll, map_string},
    {"LCMapStringEx", kKernelDll, map_string},
    {"GetStringTypeW", kKernelDll, string_type},
};

}  // namespace

std::span<const Win32Function> locale_functions() {
  return kLocale;
}

}  // namespace wperf::sim
