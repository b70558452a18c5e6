// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/json_reader.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/ascii.h"
#include "ground/text/protobuf.h"
#include "ground/text/unicode.h"

namespace wperf::text {
namespace {

// Returns -1 if it is not a hexadecimal digit.
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// The code unit at text[at]; kNone if it is not four hexadecimal digits.
u32 code_unit(std::string_view text, usize at) {
  constexpr u32 kNone = ~u32{0};
  if (at + 4 > text.size()) return kNone;
  u32 unit = 0;
  for (usize i = at; i < at + 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return kNone;
    unit = unit << 4 | static_cast<u32>(digit);
  }
  return unit;
}

}  // namespace

JsonReader::JsonReader(Bytes text) : text_(text_of(text)) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

void JsonReader::pass_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonReader::take(char c) {
  pass_blanks();
  if (at_ >= text_.size() || text_[at_] != c) {
    fail();
    return false;
  }
  ++at_;
  return true;
}

JsonReader::Kind JsonReader::kind() {
  pass_blanks();
  if (!sound_ || at_ >= text_.size()) return Kind::nothing;
  const char c = text_[at_];
  if (c == '{') return Kind::object;
  if (c == '[') return Kind::array;
  if (c == '"') return Kind::string;
  if (c == '-' || is_digit(c)) return Kind::number;
  return c == 't' || c == 'f' || c == 'n' ? Kind::word : Kind::nothing;
}

bool JsonReader::enter(char open) {
  if (kind() != (open == '{' ? Kind::object : Kind::array)) {
    skip();
    return false;
  }
  if (depth_ >= kDeepest) {
    fail();
    return false;
  }
  ++at_;
  ++depth_;
  is_first_ = true;
  return true;
}

// Skips the comma before the next value or key; returns false past the end.
bool JsonReader::next_in(char close) {
  pass_blanks();
  const bool is_first = is_first_;
  is_first_ = false;
  if (at_ < text_.size() && text_[at_] == close) {
    ++at_;
    return false;
  }
  if (!is_first && !take(',')) return false;
  pass_blanks();
  if (at_ < text_.size()) return true;
  fail();
  return false;
}

std::string_view JsonReader::string() {
  if (kind() != Kind::string) {
    skip();
    return {};
  }
  const usize begin = ++at_;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') return text_.substr(begin, at_++ - begin);
    if (text_[at_] == '\\') break;
  }
  unescaped_.assign(text_.substr(begin, at_ - begin));
  while (sound_ && at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return unescaped_;
    if (c == '\\') {
      append_escaped();
    } else {
      unescaped_ += c;
    }
  }
  fail();
  return {};
}

void JsonReader::append_escaped() {
  if (at_ >= text_.size()) return fail();
  const char c = text_[at_++];
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (const usize which = kNames.find(c); which != std::string_view::npos) {
    unescaped_ += kMeanings[which];
    return;
  }
  u32 unit = c == 'u' ? code_unit(text_, at_) : ~u32{0};
  if (unit == ~u32{0}) return fail();
  at_ += 4;
  if (is_high_half(unit) && at_ + 1 < text_.size() && text_[at_] == '\\' && text_[at_ + 1] == 'u') {
    const u32 low = code_unit(text_, at_ + 2);
    if (is_low_half(low)) {
      at_ += 6;
      return append_utf8(unescaped_, joined_halves(unit, low));
    }
  }
  append_utf8(unescaped_, unit);
}

// Skips digits; there must be at least one. Stores their value in `digits`, modulo 2^64.
int JsonReader::take_digits(u64& digits) {
  const usize begin = at_;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) digits = digits * 10 + static_cast<u64>(text_[at_] - '0');
  const usize count = at_ - begin;
  if (count == 0) fail();
  return static_cast<int>(count);
}

bool JsonReader::take_one_of(std::string_view characters) {
  const bool is_there = at_ < text_.size() && characters.find(text_[at_]) != characters.npos;
  if (is_there) ++at_;
  return is_there;
}

double JsonReader::number(double otherwise) {
  if (kind() != Kind::number) {
    skip();
    return otherwise;
  }
  // Up to 19 digits and a power of ten that a double holds exactly need only one rounding.
  const usize begin = at_;
  const bool is_negative = take_one_of("-");
  u64 digits = 0, power = 0;
  const bool has_leading_zero = at_ < text_.size() && text_[at_] == '0';
  int count = take_digits(digits), exponent = 0;
  if (has_leading_zero && count > 1) fail();
  if (take_one_of(".")) exponent = take_digits(digits);
  count += exponent;
  const bool has_power = take_one_of("eE");
  if (has_power) {
    take_one_of("+-");
    take_digits(power);
  }
  if (!sound_) return otherwise;
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr u64 kExact = u64{1} << 53;
  if (!has_power && count <= 19 && digits <= kExact) {
    const double value = static_cast<double>(digits) / kPowers[static_cast<usize>(exponent)];
    return is_negative ? -value : value;
  }
  constexpr usize kLongest = 400;
  const std::string copy(text_.substr(begin, std::min(at_ - begin, kLongest)));
  const double value = std::strtod(copy.c_str(), nullptr);
  return std::isfinite(value) ? value : otherwise;
}

bool JsonReader::skip_string() {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\\') {
      ++at_;
    } else if (text_[at_] == '"') {
      ++at_;
      return true;
    }
  }
  fail();
  return false;
}

// No recursion: for skipped values it is enough to count brackets.
void JsonReader::skip() {
  u64 open = 0;
  do {
    pass_blanks();
    if (at_ >= text_.size()) return fail();
    const char c = text_[at_];
    if (c == '"') {
      if (!skip_string()) return;
    } else if (c == '{' || c == '[') {
      ++open;
      ++at_;
    } else if (c == '}' || c == ']') {
      if (open == 0) return fail();
      --open;
      ++at_;
    } else if (open != 0 && (c == ',' || c == ':')) {
      ++at_;
    } else {
      const usize begin = at_;
      while (at_ < text_.size() && std::strchr(",:]}[{\" \t\r\n", text_[at_]) == nullptr) ++at_;
      if (at_ == begin) return fail();
    }
  } while (open != 0);
}

}  // namespace wperf::text
