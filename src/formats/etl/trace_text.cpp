// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_text.h"

#include <cstring>

#include "ground/text/unicode.h"

namespace wperf::etl {
namespace {

// Removes the bytes up to a zero and the zero; returns the bytes.
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
  std::u16string units;
  usize offset = 0;
  while (bytes.size() - offset >= 2) {
    const u32 unit = std::to_integer<u32>(bytes[offset]) | std::to_integer<u32>(bytes[offset + 1]) << 8;
    offset += 2;
    if (unit == 0) break;
    units += static_cast<char16_t>(unit);
  }
  bytes = bytes.subspan(offset);
  return text::utf8_of(units);
}

std::string take_narrow_text(Bytes& bytes) {
  std::string text;
  for (const std::byte one : take_to_zero(bytes)) text::append_utf8(text, std::to_integer<u32>(one));
  return text;
}

std::string take_utf8_text(Bytes& bytes) {
  const Bytes text = take_to_zero(bytes);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

void write::put_wide(std::string& out, std::string_view utf8) {
  for (const char16_t unit : text::utf16_of(utf8)) put(out, static_cast<u16>(unit));
  put(out, u16{0});
}

}  // namespace wperf::etl
