// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wide_text.h"

#include "base/ints.h"

namespace wperf::capi {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr char32_t kLastCharacter = 0x10ffff;
constexpr char32_t kFirstSurrogate = 0xd800, kFirstLowSurrogate = 0xdc00, kLastSurrogate = 0xdfff;
constexpr bool kUtf16 = sizeof(wchar_t) == 2;

bool is_surrogate(char32_t value) {
  return value >= kFirstSurrogate && value <= kLastSurrogate;
}

// The character that starts at `position`, which moves to its end; an invalid byte counts as one.
char32_t take_utf8(std::string_view text, usize& position) {
  const u8 first = static_cast<u8>(text[position++]);
  if (first < 0x80) return first;
  const usize more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (first < 0xc0 || first >= 0xf8 || text.size() - position < more) return kReplacement;
  char32_t value = first & (0x3fu >> more);
  for (usize i = 0; i < more; ++i) {
    const u8 next = static_cast<u8>(text[position + i]);
    if ((next & 0xc0) != 0x80) return kReplacement;
    value = value << 6 | (next & 0x3fu);
  }
  if (value < kLeast[more] || value > kLastCharacter || is_surrogate(value)) return kReplacement;
  position += more;
  return value;
}

char32_t take_wide(std::wstring_view text, usize& position) {
  // wchar_t has a sign on some systems.
  const auto first =
      kUtf16 ? static_cast<char32_t>(static_cast<u16>(text[position])) : static_cast<char32_t>(text[position]);
  ++position;
  if (!is_surrogate(first)) return first <= kLastCharacter ? first : kReplacement;
  if (!kUtf16 || first >= kFirstLowSurrogate || position == text.size()) return kReplacement;
  const auto second = static_cast<char32_t>(static_cast<u16>(text[position]));
  if (second < kFirstLowSurrogate || second > kLastSurrogate) return kReplacement;
  ++position;
  return 0x10000 + ((first - kFirstSurrogate) << 10) + (second - kFirstLowSurrogate);
}

void append_wide(std::wstring& text, char32_t character) {
  if (kUtf16 && character > 0xffff) {
    const char32_t rest = character - 0x10000;
    text += static_cast<wchar_t>(kFirstSurrogate + (rest >> 10));
    text += static_cast<wchar_t>(kFirstLowSurrogate + (rest & 0x3ff));
  } else {
    text += static_cast<wchar_t>(character);
  }
}

void append_utf8(std::string& text, char32_t character) {
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  const unsigned more = character >= 0x10000 ? 3 : character >= 0x800 ? 2 : 1;
  const char32_t mark = 0xff00u >> (more + 1) & 0xffu;
  text += static_cast<char>(mark | character >> (6 * more));
  for (unsigned left = more; left-- > 0;) text += static_cast<char>(0x80u | (character >> (6 * left) & 0x3fu));
}

}  // namespace

std::wstring wide(std::string_view utf8) {
  std::wstring text;
  text.reserve(utf8.size());
  for (usize position = 0; position < utf8.size();) append_wide(text, take_utf8(utf8, position));
  return text;
}

std::string utf8(std::wstring_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (usize position = 0; position < text.size();) append_utf8(bytes, take_wide(text, position));
  return bytes;
}

}  // namespace wperf::capi
