// SPDX-License-Identifier: BSD-3-Clause
#include "compare/name_keys.h"

#include <algorithm>

#include "base/ints.h"

namespace wperf::compare {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// What compilers put behind a name, perhaps with numbers behind it: GCC's and LLVM's copies and parts.
constexpr std::string_view kSuffixes[] = {".isra",     ".part",    ".cold",       ".constprop", ".llvm",
                                          ".lto_priv", ".clone",   ".localalias", ".__uniq",    ".cfi",
                                          ".resume",   ".destroy", ".cleanup",    ".warm",      ".hot"};

// The name before the last such suffix with its numbers; the whole name: there is none.
std::string_view without_suffix(std::string_view name) {
  usize end = name.size();
  // ".0", ".12345": numbers belong to the word before them, if there is one.
  usize at = end;
  while (at > 0 && is_digit(name[at - 1])) --at;
  if (at < end && at > 0 && name[at - 1] == '.') end = at - 1;
  for (const std::string_view suffix : kSuffixes) {
    if (end > suffix.size() && name.substr(0, end).ends_with(suffix)) return name.substr(0, end - suffix.size());
  }
  return name;
}

// "[clone .isra.0]" of demanglers, several of them.
std::string_view without_clones(std::string_view name) {
  while (name.ends_with(']')) {
    const usize clone = name.rfind(" [clone ");
    if (clone == std::string_view::npos) break;
    name = name.substr(0, clone);
  }
  return name;
}

// "::h" and 16 hexadecimal digits: Rust's.
std::string_view without_rust_hash(std::string_view name) {
  constexpr usize kDigits = 16, kLength = kDigits + 3;
  if (name.size() <= kLength) return name;
  const std::string_view tail = name.substr(name.size() - kLength);
  const bool is_hash = tail.starts_with("::h") && std::all_of(tail.begin() + 3, tail.end(), is_hex);
  return is_hash ? name.substr(0, name.size() - kLength) : name;
}

// "`anonymous namespace'", "?A0x1f3a" and "{anonymous}" as demanglers of Linux spell it: where the number differs from
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

}  // namespace

std::string function_key(std::string_view name) {
  constexpr std::string_view kInlined = " (inlined)";
  while (true) {
    std::string_view shorter = without_rust_hash(without_suffix(without_clones(name)));
    if (shorter.ends_with(kInlined)) shorter.remove_suffix(kInlined.size());
    if (shorter.size() == name.size()) break;
    name = shorter;
  }
  if (name.find_first_of("`?{") == std::string_view::npos) return std::string(name);
  return with_one_anonymous(name);
}

bool is_meant(std::string_view wanted, std::string_view name) {
  if (wanted == "*" || wanted == name) return true;
  const std::string key = function_key(name);
  std::string_view rest = key;
  if (rest == wanted) return true;
  // "operator()" has parentheses of its own.
  constexpr std::string_view kCall = "operator()";
  const usize call = rest.find(kCall);
  const usize open = rest.find('(', call == std::string_view::npos ? 0 : call + kCall.size());
  if (open != std::string_view::npos && open != 0) rest = rest.substr(0, open);
  if (rest == wanted) return true;
  return rest.size() > wanted.size() + 2 && rest.ends_with(wanted) &&
         rest.substr(0, rest.size() - wanted.size()).ends_with("::");
}

}  // namespace wperf::compare
