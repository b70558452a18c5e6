// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/utf16.h"

namespace wperf::text {

void append_utf8(std::string& out, u32 code) {
  const auto put = [&](u32 byte) { out += static_cast<char>(byte); };
  if (is_high_half(code) || is_low_half(code)) code = 0xfffd;
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::optional<std::string> utf8_of_utf16(bytes::Span file) {
  const auto byte = [&](usize at) { return static_cast<u32>(file[at]); };
  if (file.size() < 2) return std::nullopt;
  const bool is_little = byte(0) == 0xff && byte(1) == 0xfe, is_big = byte(0) == 0xfe && byte(1) == 0xff;
  if (!is_little && !is_big) return std::nullopt;
  const auto unit = [&](usize at) { return is_little ? byte(at) | byte(at + 1) << 8 : byte(at) << 8 | byte(at + 1); };
  std::string text;
  text.reserve(file.size() / 2);
  for (usize at = 2; at + 2 <= file.size(); at += 2) {
    u32 code = unit(at);
    if (is_high_half(code) && at + 4 <= file.size() && is_low_half(unit(at + 2))) {
      code = joined_halves(code, unit(at + 2));
      at += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace wperf::text
