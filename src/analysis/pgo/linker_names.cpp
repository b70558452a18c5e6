// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/linker_names.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"

namespace wperf::pgo {
namespace {

// Does the name have the form of a linker name? If the debug information has no linker name for an inlined function, it
// has a name like "operator()", "pick<int>" or "~list".
bool is_linker_name(std::string_view name) {
  return is_word(name) && name.find_first_of("()<>~ ") == std::string_view::npos && !name.starts_with("operator");
}

// Is it a mangled name of C++ or Rust?
bool is_mangled(std::string_view name) {
  return name.starts_with("_Z") || name.starts_with("_R") || name.starts_with('?');
}

bool is_cpp_source(std::string_view file) {
  constexpr std::string_view kEnds[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return file.ends_with(end); });
}

// The name of the function that a symbol is a part of: "f.cold", "f.cold.3" and "f.__part.1" → "f". Other names are
// returned unchanged.
std::string_view without_part(std::string_view name) {
  std::string_view stem = name;
  while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
  const bool is_numbered = stem.size() != name.size() && stem.ends_with('.');
  stem = is_numbered ? stem.substr(0, stem.size() - 1) : name;
  for (const std::string_view end : {".cold", ".__part"}) {
    if (stem.ends_with(end) && stem.size() > end.size()) return stem.substr(0, stem.size() - end.size());
  }
  return name;
}

// "f@@V1" → "f"
std::string_view without_version(std::string_view name) {
  return name.starts_with('?') ? name : name.substr(0, name.find('@', 1));
}

}  // namespace

std::string_view canonical_name(std::string_view name) {
  for (const std::string_view end : {".llvm.", ".part.", ".isra.", ".constprop.", ".lto_priv."}) {
    const auto at = name.find(end);
    if (at != name.npos && at != 0) name = name.substr(0, at);
  }
  return name;
}

bool is_word(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

// A plain name in DWARF is the linker name in C, but not for a local C++ function compiled by GCC. So it is used only
// if the symbol has the same name.
std::string_view LinkerNames::of_function(const symbols::SymbolizedAddress& answer,
                                          const symbols::SymbolizedFrame& outermost) {
  const std::string_view name = outermost.function;
  if (!outermost.in_dwarf || is_mangled(name)) return name;
  const std::string_view symbol = without_part(without_version(answer.function));
  if (name.empty() || symbol.empty()) return name.empty() ? symbol : name;
  const bool agrees = name == canonical_name(symbol) || has_symbol_at(name, answer.begin);
  return agrees ? name : symbol;
}

bool LinkerNames::is_sure(const symbols::SymbolizedFrame& inlined) {
  if (is_mangled(inlined.function)) return is_word(inlined.function);
  if (!is_linker_name(inlined.function)) return false;
  return !is_cpp_source(inlined.file) || has_symbol(inlined.function);
}

bool LinkerNames::is_entry(std::string_view name, const symbols::SymbolizedAddress& symbol) {
  if (has_symbol(name)) return has_symbol_at(name, symbol.begin);
  const bool is_part = symbol.function.starts_with(name) && symbol.function.substr(name.size()).starts_with('.');
  return !is_part || canonical_name(symbol.function) == name;
}

void LinkerNames::read_symbols() {
  if (std::exchange(has_symbols_, true)) return;
  file_.for_each_name(true, [this](u64 address, std::string_view name) {
    const std::string_view whole = without_version(name);
    if (without_part(whole) == whole) symbols_.emplace_back(canonical_name(whole), address);
  });
  std::sort(symbols_.begin(), symbols_.end());
}

std::vector<LinkerNames::Symbol>::const_iterator LinkerNames::find(std::string_view name, u64 least_address) {
  read_symbols();
  const std::pair<std::string_view, u64> wanted(canonical_name(name), least_address);
  return std::partition_point(symbols_.cbegin(), symbols_.cend(), [&](const Symbol& one) {
    return std::pair<std::string_view, u64>(one.first, one.second) < wanted;
  });
}

bool LinkerNames::has_symbol(std::string_view name) {
  const auto found = find(name, 0);
  return found != symbols_.end() && found->first == canonical_name(name);
}

bool LinkerNames::has_symbol_at(std::string_view name, u64 address) {
  const auto found = find(name, address);
  return found != symbols_.end() && found->first == canonical_name(name) && found->second == address;
}

std::vector<u64> LinkerNames::coroutine_at(std::string_view symbol) {
  constexpr std::string_view kEnds[] = {".resume", ".destroy", ".cleanup"};
  std::string_view stem = symbol;
  for (const std::string_view end : kEnds) {
    if (symbol.ends_with(end)) stem.remove_suffix(end.size());
  }
  std::vector<u64> out;
  if (!is_mangled(stem)) return out;
  const auto add = [&](const std::string& name) {
    const auto found = find(name, 0);
    if (found != symbols_.end() && found->first == name) out.push_back(found->second);
  };
  for (const std::string_view end : kEnds) add(std::string(stem).append(end));
  if (!out.empty()) add(std::string(stem));
  return out;
}

}  // namespace wperf::pgo
