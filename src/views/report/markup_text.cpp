// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/markup_text.h"

#include "ground/text/unicode.h"

namespace wperf::report {

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
