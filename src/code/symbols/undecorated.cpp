// SPDX-License-Identifier: BSD-3-Clause
#include "base/ascii.h"
#include "code/symbols/demangler.h"
#include "code/symbols/rust_names.h"
#include "code/symbols/symbolizer.h"

namespace wperf::symbols {
namespace {

// Linkers cut decorated names at 4096 characters. A longer one is damaged, and would need much stack in the recursive
// demanglers.
constexpr size_t kLongestDecorated = 4096;

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Decorated names can refer to their earlier parts. Nested lists of such references can make a name larger than the
// memory of any machine, and no library prevents that. demangle_itanium() knows the length of a name's text before it
// writes it; for other names this is a rough guess. In the worst case `references` are distributed equally among
// `lists` lists; then every list multiplies its contents by its number of references plus one.
bool may_explode(size_t length, size_t references, size_t lists) {
  constexpr double kLongestPlain = 1 << 26;  // the guess for real names is below a sixth of this, mostly under 1000
  const double factor = 1.0 + static_cast<double>(references) / static_cast<double>(lists == 0 ? 1 : lists);
  double bound = static_cast<double>(length);
  for (size_t i = 0; i <= lists; ++i) {
    bound *= factor;
    if (bound > kLongestPlain) return true;
  }
  return false;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
// References are single digits that are not part of an identifier. Lists are the arguments of templates ("?$") and of
// functions: other symbols ("?") and function types ("P6", "P8").
bool microsoft_may_explode(std::string_view name) {
  size_t references = 0, lists = 0;
  char before = '?', before_digits = '?';
  for (const char c : name) {
    if (c == '?' || ((c == '6' || c == '8') && is_upper(before))) ++lists;
    if (!is_digit(c)) before_digits = c;
    if (is_digit(c) && !is_lower(before_digits) && before_digits != '_') ++references;
    before = c;
  }
  return may_explode(name.size(), references, lists);
}

// Names of Rust's newer scheme. References are "B…_". Lists end in "E", except for two kinds of paths.
bool rust_may_explode(std::string_view name) {
  size_t references = 0, lists = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == 'E' || name[i] == 'X' || name[i] == 'Y') ++lists;
    if (name[i] != 'B') continue;
    size_t end = i + 1;
    while (end < name.size() && (is_digit(name[end]) || is_upper(name[end]) || is_lower(name[end]))) ++end;
    if (end < name.size() && name[end] == '_') ++references;
  }
  return may_explode(name.size(), references, lists);
}

// ARM64EC functions have "$$h" after their qualified name: "?f@@$$hYAHH@Z".
std::string without_arm64ec_mark(std::string_view name) {
  std::string plain(name);
  const size_t mark = plain.find("@@$$h");
  if (mark != std::string::npos) plain.erase(mark + 2, 3);
  return plain;
}

std::optional<std::string> demangle(std::string_view name, NameParts parts) {
  if (starts_with(name, "?")) {
    if (microsoft_may_explode(name)) return std::nullopt;
    return demangle_microsoft(without_arm64ec_mark(name), parts);
  }
  if (starts_with(name, "_Z")) {
    std::optional<std::string> rust = demangle_older_rust(name);
    return rust.has_value() ? std::move(rust) : demangle_itanium(name, parts);
  }
  if (starts_with(name, "_R")) return rust_may_explode(name) ? std::nullopt : demangle_rust(name);
  if (starts_with(name, "_D")) return demangle_d(name);
  if (starts_with(name, "#") && name.size() > 1) return std::string(name.substr(1));  // a C function of ARM64EC
  return std::nullopt;
}

}  // namespace

std::string undecorated(std::string_view name) {
  if (name.size() <= kLongestDecorated) {
    std::optional<std::string> out = demangle(name, NameParts::name);
    if (out.has_value() && !out->empty()) return std::move(*out);
  }
  return std::string(name);
}

std::string signature(std::string_view name) {
  if (name.size() > kLongestDecorated) return {};
  return demangle(name, NameParts::signature).value_or("");
}

}  // namespace wperf::symbols
