// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/escaping.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

constexpr std::array<bool, 256> has_signs(std::string_view signs) {
  std::array<bool, 256> has{};
  for (const char c : signs) has[static_cast<u8>(c)] = true;
  return has;
}
constexpr std::array<bool, 256> kNeedsQuotes = has_signs(",\"\r\n");
constexpr std::array<bool, 256> kBeginsFormula = has_signs("=+-@\t\r\n");

}  // namespace

// Spreadsheets in East Asia also accept the full-width characters.
bool begins_formula(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWide = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  return text.size() > 1 &&
         (kBeginsFormula[static_cast<u8>(text[0])] ||
          (text[0] == kWide[0][0] &&
           std::any_of(kWide.begin(), kWide.end(), [&](std::string_view sign) { return text.starts_with(sign); })));
}

char* put_csv_field(char* at, std::string_view text) {
  const bool is_formula = begins_formula(text);
  const bool quoted =
      is_formula || std::any_of(text.begin(), text.end(), [](char c) { return kNeedsQuotes[static_cast<u8>(c)]; });
  if (!quoted) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return at + text.size();
  }
  *at++ = '"';
  // The field is also quoted, because databases read an apostrophe at the beginning as a quote.
  if (is_formula) *at++ = '\'';
  for (const char c : text) {
    if (c == '"') *at++ = '"';
    *at++ = c;
  }
  *at++ = '"';
  return at;
}

void append_csv_field(std::string& out, std::string_view text) {
  const usize size = out.size();
  out.resize(size + most_of_csv_field(text));
  out.resize(static_cast<usize>(put_csv_field(out.data() + size, text) - out.data()));
}

std::string markup_text(std::string_view text) {
  std::string out;
  for (usize at = 0; at < text.size();) {
    const auto first = static_cast<u8>(text[at]);
    const text::CodePoint point = first < 0x80 ? text::CodePoint{first, 1} : text::decode_utf8(text.substr(at));
    const std::string_view bytes = text.substr(at, point.length);
    at += point.length;
    const bool is_control = (point.value < 0x20 && point.value != '\t') || (point.value >= 0x7f && point.value < 0xa0);
    const bool is_noncharacter = (point.value & 0xfffe) == 0xfffe || (point.value >= 0xfdd0 && point.value <= 0xfdef);
    if (point.value == 0xfffd || is_control || is_noncharacter)
      out += "\xef\xbf\xbd";
    else if (point.value == '<')
      out += "&lt;";
    else if (point.value == '>')
      out += "&gt;";
    else if (point.value == '&')
      out += "&amp;";
    else if (point.value == '"')
      out += "&quot;";
    else if (point.value == '\'')
      out += "&#39;";
    else
      out += bytes;
  }
  return out;
}

}  // namespace wperf::report
