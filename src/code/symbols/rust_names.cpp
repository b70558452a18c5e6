// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/rust_names.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/ints.h"
#include "ground/text/unicode.h"

namespace wperf::symbols {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_hash(std::string_view part) {
  return part.size() == 17 && part[0] == 'h' && part.find_first_not_of(kHexDigits, 1) == std::string_view::npos;
}

// Takes "4main" from the front of `rest`, and returns "main"; empty if `rest` does not begin with a length.
std::string_view take_part(std::string_view& rest) {
  size_t length = 0, digits = 0;
  while (digits < rest.size() && is_digit(rest[digits]) && length < rest.size())
    length = 10 * length + static_cast<size_t>(rest[digits++] - '0');
  if (digits == 0 || length > rest.size() - digits) return {};
  const std::string_view part = rest.substr(digits, length);
  rest.remove_prefix(digits + length);
  return part;
}

// Appends the sign that `code` stands for: the text between two "$". Returns false if `code` is unknown.
bool append_sign(std::string_view code, std::string& out) {
  static constexpr std::pair<std::string_view, char> kSigns[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
                                                                 {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
  for (const auto& [known, sign] : kSigns) {
    if (code == known) return out += sign, true;
  }
  const std::string_view digits = code.substr(code.empty() ? 0 : 1);
  constexpr size_t kMostDigits = 6;
  if (digits.empty() || digits.size() > kMostDigits || code[0] != 'u') return false;
  if (digits.find_first_not_of(kHexDigits) != std::string_view::npos) return false;
  u32 letter = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), letter, 16);
  const bool is_control = letter < 0x20 || (letter >= 0x7f && letter < 0xa0);
  const bool is_letter = letter < 0xd800 || (letter >= 0xe000 && letter < 0x110000);
  if (is_control || !is_letter) return false;
  text::append_utf8(out, letter);
  return true;
}

// Signs are written as "$LT$", and "::" as "..". A "_" in front of a "$" only makes the part an identifier.
void append_part(std::string_view part, std::string& out) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
    } else if (part[0] == '$') {
      const size_t end = part.find('$', 1);
      if (end == std::string_view::npos || !append_sign(part.substr(1, end - 1), out)) break;
      part.remove_prefix(end + 1);
    } else {
      out += part[0];
      part.remove_prefix(1);
    }
  }
  out += part;
}

}  // namespace

std::optional<std::string> demangle_older_rust(std::string_view name) {
  if (!name.starts_with("_ZN")) return std::nullopt;
  std::string_view rest = name.substr(3), last;
  std::string out;
  for (std::string_view part = take_part(rest); !part.empty(); part = take_part(rest)) {
    if (!last.empty()) {
      if (!out.empty()) out += "::";
      append_part(last, out);
    }
    last = part;
  }
  if (out.empty() || !is_hash(last) || !rest.starts_with('E')) return std::nullopt;
  // The optimiser of LLVM adds ".llvm." and a number to names of copied functions.
  const std::string_view suffix = rest.substr(1);
  if (suffix.empty() || suffix.starts_with(".llvm.")) return out;
  if (suffix[0] != '.') return std::nullopt;
  return out.append(" (").append(suffix).append(")");
}

}  // namespace wperf::symbols
