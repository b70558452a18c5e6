// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "ground/text/unicode.h"

namespace wperf::text {
namespace {

void append_unit(std::string& out, u32 unit) {
  static constexpr char kHex[] = "0123456789abcdef";
  const char escape[] = {
      '\\', 'u', kHex[(unit >> 12) & 0xfu], kHex[(unit >> 8) & 0xfu], kHex[(unit >> 4) & 0xfu], kHex[unit & 0xfu]};
  out.append(escape, sizeof escape);
}

void append_code_point(std::string& out, u32 value) {
  if (value < 0x10000u) {
    append_unit(out, value);
    return;
  }
  append_unit(out, 0xd800u + ((value - 0x10000u) >> 10));
  append_unit(out, 0xdc00u + (value & 0x3ffu));
}

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void append_ascii_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      append_unit(out, static_cast<u8>(c));
  }
}

}  // namespace

void JsonWriter::separate() {
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  need_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  need_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_ += ':';
  need_comma_ = false;
}

void JsonWriter::string(std::string_view utf8) {
  separate();
  out_ += '"';
  usize at = 0;
  while (at < utf8.size()) {
    usize end = at;
    while (end < utf8.size() && is_plain(utf8[end])) ++end;
    out_.append(utf8.substr(at, end - at));
    at = end;
    if (at == utf8.size()) break;
    if (static_cast<u8>(utf8[at]) < 0x80u) {
      append_ascii_escape(out_, utf8[at++]);
      continue;
    }
    const CodePoint point = decode_utf8(utf8.substr(at));
    append_code_point(out_, point.value);
    at += point.length;
  }
  out_ += '"';
}

void JsonWriter::integer(u64 value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void JsonWriter::written(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::real(double value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{:.6g}", std::isfinite(value) ? value : 0.0);
}

void JsonWriter::shortest(double value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", std::isfinite(value) ? value : 0.0);
}

void JsonWriter::fixed(double value, int decimals) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{:.{}f}", std::isfinite(value) ? value : 0.0, decimals);
}

}  // namespace wperf::text
