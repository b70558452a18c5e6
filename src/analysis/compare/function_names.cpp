// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/function_names.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/ints.h"
#include "model/stacks/stack_profile.h"

namespace wperf::compare {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Suffixes that compilers append to names: GCC's and LLVM's copies and parts of functions.
struct Suffix {
  std::string_view text;
  enum class Where : u8 { alone_too, with_number, mangled_too } where;
};
// Go, .NET and Java use dots in names of functions, for example server.cleanup. So most suffixes are recognised only if
// a number follows, or in a mangled C++ or Rust name.
constexpr Suffix kSuffixes[] = {{".cold", Suffix::Where::alone_too},        {".localalias", Suffix::Where::alone_too},
                                {".isra", Suffix::Where::with_number},      {".part", Suffix::Where::with_number},
                                {".constprop", Suffix::Where::with_number}, {".llvm", Suffix::Where::with_number},
                                {".lto_priv", Suffix::Where::with_number},  {".__uniq", Suffix::Where::with_number},
                                {".cfi", Suffix::Where::mangled_too},       {".clone", Suffix::Where::mangled_too},
                                {".resume", Suffix::Where::mangled_too},    {".destroy", Suffix::Where::mangled_too},
                                {".cleanup", Suffix::Where::mangled_too},   {".warm", Suffix::Where::mangled_too},
                                {".hot", Suffix::Where::mangled_too}};

// The name without the last such suffix and its numbers; the whole name if there is no suffix.
std::string_view without_suffix(std::string_view name) {
  usize end = name.size();
  // ".0", ".12345": numbers belong to the word before them, if any.
  usize at = end;
  while (at > 0 && is_digit(name[at - 1])) --at;
  const bool has_number = at < end && at > 0 && name[at - 1] == '.';
  if (has_number) end = at - 1;
  const bool is_mangled = name.starts_with("_Z") || name.starts_with("_R");
  for (const auto& [suffix, where] : kSuffixes) {
    if (end <= suffix.size() || !name.substr(0, end).ends_with(suffix)) continue;
    const bool counts =
        has_number || where == Suffix::Where::alone_too || (where == Suffix::Where::mangled_too && is_mangled);
    if (counts) return name.substr(0, end - suffix.size());
  }
  return name;
}

// Removes "[clone .isra.0]", which demanglers write, perhaps several times.
std::string_view without_clones(std::string_view name) {
  while (name.ends_with(']')) {
    const usize clone = name.rfind(" [clone ");
    if (clone == std::string_view::npos) break;
    name = name.substr(0, clone);
  }
  return name;
}

// Removes "::h" and 16 hexadecimal digits, which Rust adds.
std::string_view without_rust_hash(std::string_view name) {
  constexpr usize kDigits = 16, kLength = kDigits + 3;
  if (name.size() <= kLength) return name;
  const std::string_view tail = name.substr(name.size() - kLength);
  const bool is_hash = tail.starts_with("::h") && std::all_of(tail.begin() + 3, tail.end(), is_hex);
  return is_hash ? name.substr(0, name.size() - kLength) : name;
}

// Spells "`anonymous namespace'", "?A0x1f3a" and "{anonymous}" as Linux demanglers do, because the number differs from
// build to build.
std::string with_one_anonymous(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  while (!name.empty()) {
    const auto take = [&](usize count) {
      out += kAnonymous;
      name.remove_prefix(count);
    };
    constexpr std::string_view kMicrosoft = "`anonymous namespace'", kShort = "`anonymous-namespace'",
                               kBraces = "{anonymous}", kNumbered = "?A0x";
    if (name.starts_with(kMicrosoft)) {
      take(kMicrosoft.size());
    } else if (name.starts_with(kShort)) {
      take(kShort.size());
    } else if (name.starts_with(kBraces)) {
      take(kBraces.size());
    } else if (name.starts_with(kNumbered)) {
      usize end = kNumbered.size();
      while (end < name.size() && is_hex(name[end])) ++end;
      take(end);
    } else {
      out += name.front();
      name.remove_prefix(1);
    }
  }
  return out;
}

// Removes "@@GLIBC_2.34" and "@GLIBC_2.17", but not "@plt", because that is another function.
std::string_view without_version(std::string_view name) {
  const usize at = name.rfind('@');
  if (at == std::string_view::npos || at == 0 || name.substr(at) == "@plt") return name;
  if (name.find_first_of(" ()<>", at) != std::string_view::npos) return name;
  return name.substr(0, name[at - 1] == '@' ? at - 1 : at);
}

bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Returns the length of the operator name that begins at `at`: "operator()", "operator<<", "operator new", "operator
// int". Returns 0 if no operator name begins there.
usize length_of_operator(std::string_view name, usize at) {
  constexpr std::string_view kOperator = "operator", kSigns = "<>=+-*/%^&|~!,[]";
  const std::string_view rest = name.substr(at);
  if (!rest.starts_with(kOperator) || (at != 0 && is_word(name[at - 1]))) return 0;
  usize end = kOperator.size();
  if (end == rest.size() || is_word(rest[end])) return 0;
  if (rest.substr(end).starts_with("()")) return end + 2;
  if (rest[end] == ' ') return std::min(rest.find('(', end), rest.size());
  while (end < rest.size() && kSigns.find(rest[end]) != std::string_view::npos) ++end;
  return end;
}

// The position after the matching bracket. If no bracket matches, the end of the name.
usize end_of_brackets(std::string_view name, usize at) {
  u64 depth = 0;
  for (; at < name.size(); ++at) {
    const char c = name[at];
    const bool is_arrow = c == '>' && at != 0 && name[at - 1] == '-';
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == '}' || c == ']') && !is_arrow && --depth == 0) return at + 1;
  }
  return at;
}

// Words that may follow the parameters. Anything else, as in "f(int)::local::g", continues the name.
bool ends_parameters(std::string_view rest) {
  for (const std::string_view word : {" const", " volatile", " &", " noexcept", " [", " requires "}) {
    if (rest.starts_with(word)) return true;
  }
  return rest.empty();
}

// A name without its return type: the part before the parameters, and the parameters.
struct NameParts {
  std::string name, without_arguments;  // without template arguments
  std::string_view parameters;
};
NameParts parts_of(std::string_view name) {
  NameParts parts;
  for (usize at = 0; at < name.size();) {
    if (name[at] == ' ') {
      // In "operator< <int>" the blank does not end a return type.
      if (!name.substr(at).starts_with(" <")) parts = {};
      ++at;
      continue;
    }
    usize end = at + 1;
    bool is_argument = false;
    if (const usize length = length_of_operator(name, at); length != 0) {
      end = at + length;
    } else if (name[at] == '(' || name[at] == '<' || name[at] == '{') {
      end = end_of_brackets(name, at);
      // In an anonymous namespace, in "main.(*Server).Serve" and in "{lambda(int)#1}", parentheses are part of the
      // name.
      if (name[at] == '(' && at != 0 && ends_parameters(name.substr(end))) {
        parts.parameters = name.substr(at);
        break;
      }
      is_argument = name[at] == '<';
    }
    parts.name += name.substr(at, end - at);
    if (!is_argument) parts.without_arguments += name.substr(at, end - at);
    at = end;
  }
  return parts;
}

std::string without_anonymous(std::string_view name) {
  std::string out(name);
  const std::string part = std::string(kAnonymous) + "::";
  for (usize at = out.find(part); at != std::string::npos; at = out.find(part, at)) out.erase(at, part.size());
  return out;
}

// Is `wanted` the whole name, or the last parts of it?
bool ends_as(std::string_view name, std::string_view wanted) {
  if (wanted.empty() || !name.ends_with(wanted)) return false;
  return name.size() == wanted.size() || name.substr(0, name.size() - wanted.size()).ends_with("::");
}

}  // namespace

std::string function_key(std::string_view name) {
  while (true) {
    std::string_view shorter = without_rust_hash(without_suffix(without_clones(name)));
    if (shorter.ends_with(stacks::kInlinedMark)) shorter.remove_suffix(stacks::kInlinedMark.size());
    if (shorter.size() == name.size()) break;
    name = shorter;
  }
  if (name.find_first_of("`?{") == std::string_view::npos) return std::string(name);
  return with_one_anonymous(name);
}

bool is_meant(std::string_view wanted, std::string_view name) {
  if (wanted == "*" || wanted == name) return true;
  const std::string key = function_key(name), meant = with_one_anonymous(wanted);
  const std::string_view plain = without_version(key);
  if (key == meant || plain == meant) return true;
  const NameParts parts = parts_of(plain);
  for (const std::string& form : {parts.name, parts.without_arguments, parts.name + std::string(parts.parameters)}) {
    if (ends_as(form, meant) || ends_as(without_anonymous(form), meant)) return true;
  }
  return false;
}

}  // namespace wperf::compare
