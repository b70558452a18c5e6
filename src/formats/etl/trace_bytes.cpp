// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_bytes.h"

namespace wperf::etl::write {
namespace {

constexpr u32 kReplacement = 0xfffd;

// Takes one character; an incomplete one counts as one invalid byte.
u32 take_character(std::string_view& text) {
  const auto byte = [&](usize i) { return static_cast<u32>(static_cast<unsigned char>(text[i])); };
  const u32 lead = byte(0);
  const usize size = lead < 0x80                   ? 1
                     : lead >= 0xc2 && lead < 0xe0 ? 2
                     : lead >= 0xe0 && lead < 0xf0 ? 3
                     : lead >= 0xf0 && lead < 0xf5 ? 4
                                                   : 0;
  u32 character = size == 1 ? lead : size == 0 ? 0 : lead & (0x7fu >> size);
  bool sound = size != 0 && size <= text.size();
  for (usize i = 1; sound && i < size; ++i) {
    sound = (byte(i) & 0xc0) == 0x80;
    character = character << 6 | (byte(i) & 0x3f);
  }
  constexpr u32 kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  sound = sound && character >= kLeast[size] && character < 0x110000 && (character < 0xd800 || character > 0xdfff);
  text.remove_prefix(sound ? size : 1);
  return sound ? character : kReplacement;
}

}  // namespace

std::u16string wide_text(std::string_view utf8) {
  std::u16string wide;
  while (!utf8.empty()) {
    const u32 character = take_character(utf8);
    if (character < 0x10000) {
      wide += static_cast<char16_t>(character);
    } else {
      wide += static_cast<char16_t>(0xd800 + ((character - 0x10000) >> 10));
      wide += static_cast<char16_t>(0xdc00 + ((character - 0x10000) & 0x3ff));
    }
  }
  return wide;
}

void put_wide(std::string& out, std::string_view utf8) {
  for (const char16_t unit : wide_text(utf8)) put(out, static_cast<u16>(unit));
  put(out, u16{0});
}

}  // namespace wperf::etl::write
