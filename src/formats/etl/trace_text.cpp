// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_text.h"

#include <cstring>

namespace wperf::etl {
namespace {

void append_code_point(std::string& text, u32 point) {
  const auto add = [&](u32 byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xc0 | point >> 6);
    add(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    add(0xe0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3f));
    add(0x80 | (point & 0x3f));
  } else {
    add(0xf0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3f));
    add(0x80 | (point >> 6 & 0x3f));
    add(0x80 | (point & 0x3f));
  }
}

// Takes the bytes up to a zero, and the zero.
Bytes take_to_zero(Bytes& bytes) {
  const auto* zero = bytes.empty() ? nullptr : std::memchr(bytes.data(), 0, bytes.size());
  const usize length =
      zero == nullptr ? bytes.size() : static_cast<usize>(static_cast<const std::byte*>(zero) - bytes.data());
  const Bytes text = bytes.first(length);
  bytes = bytes.subspan(zero == nullptr ? length : length + 1);
  return text;
}

}  // namespace

std::string take_wide_text(Bytes& bytes) {
  constexpr u32 kReplacement = 0xfffd;
  std::string text;
  usize offset = 0;
  const auto unit = [&](u32& value) {
    if (bytes.size() - offset < 2) return false;
    value = std::to_integer<u32>(bytes[offset]) | std::to_integer<u32>(bytes[offset + 1]) << 8;
    return true;
  };
  u32 first = 0;
  while (unit(first)) {
    offset += 2;
    if (first == 0) break;
    const bool is_high = first >= 0xd800 && first < 0xdc00;
    u32 second = 0;
    if (is_high && unit(second) && second >= 0xdc00 && second < 0xe000) {
      offset += 2;
      append_code_point(text, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    } else {
      append_code_point(text, first >= 0xd800 && first < 0xe000 ? kReplacement : first);
    }
  }
  bytes = bytes.subspan(offset);
  return text;
}

std::string take_narrow_text(Bytes& bytes) {
  std::string text;
  for (const std::byte one : take_to_zero(bytes)) append_code_point(text, std::to_integer<u32>(one));
  return text;
}

std::string take_utf8_text(Bytes& bytes) {
  const Bytes text = take_to_zero(bytes);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace wperf::etl
