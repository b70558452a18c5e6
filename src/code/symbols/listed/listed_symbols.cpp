// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/listed_symbols.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "code/ordered.h"
#include "ground/text/parts.h"

namespace wperf::symbols {
namespace {

// Removes and returns a hexadecimal number and the space after it.
std::optional<u64> take_number(std::string_view& line) {
  if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
  u64 value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  const auto length = static_cast<usize>(end - line.data());
  if (error != std::errc() || length >= line.size() || line[length] != ' ') return std::nullopt;
  line.remove_prefix(length + 1);
  return value;
}

struct KernelSymbol {
  u64 address = 0;
  char type = 0;
  std::string_view name, module;
};

std::optional<KernelSymbol> parse_kernel_line(std::string_view line) {
  KernelSymbol symbol;
  const auto address = take_number(line);
  if (!address.has_value() || line.size() < 3 || line[1] != ' ') return std::nullopt;
  symbol.address = *address;
  symbol.type = line[0];
  line.remove_prefix(2);
  const usize tab = line.find('\t');
  symbol.name = line.substr(0, tab);
  if (tab != std::string_view::npos) {
    std::string_view module = line.substr(tab + 1);
    if (module.starts_with('[') && module.ends_with(']')) module = module.substr(1, module.size() - 2);
    symbol.module = module;
  }
  if (symbol.name.empty()) return std::nullopt;
  return symbol;
}

bool is_code(char type) {
  return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

bool is_weak(char type) {
  return type == 'w' || type == 'W';
}

bool is_global(char type) {
  return type >= 'A' && type <= 'Z';
}

usize underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Chooses like elf_symbols.cpp, using the facts that are in the list.
bool first_is_shown(const KernelSymbol& a, const KernelSymbol& b) {
  if (is_weak(a.type) != is_weak(b.type)) return is_weak(b.type);
  if (is_global(a.type) != is_global(b.type)) return is_global(a.type);
  if (underscores(a.name) != underscores(b.name)) return underscores(a.name) < underscores(b.name);
  return a.name.size() >= b.name.size();
}

}  // namespace

ListedSymbols ListedSymbols::parse_kallsyms(std::string_view text) {
  ListedSymbols out;
  std::vector<KernelSymbol> found;
  found.reserve(text.size() / 45);
  bool any_line = false, any_address = false;
  while (!text.empty()) {
    const std::string_view line = text::take_part(text, '\n');
    if (line.empty()) continue;
    const auto symbol = parse_kernel_line(line);
    if (!symbol.has_value()) {
      ++out.bad_lines_;
      continue;
    }
    any_line = true;
    any_address = any_address || symbol->address != 0;
    if (symbol->address != 0 && is_code(symbol->type)) found.push_back(*symbol);
  }
  out.are_hidden_ = any_line && !any_address;
  code::order_by(found, [](const KernelSymbol& one) { return one.address; });
  for (usize i = 0; i < found.size();) {
    const KernelSymbol* best = &found[i];
    for (++i; i < found.size() && found[i].address == best->address; ++i) {
      if (!first_is_shown(*best, found[i])) best = &found[i];
    }
    // The list has no sizes. A function ends where the next one begins; the last one ends with the page after its own,
    // as in perf.
    constexpr u64 kPage = 4096;
    const u64 last_end =
        best->address < ~u64{0} - 2 * kPage ? ((best->address + kPage - 1) & ~(kPage - 1)) + kPage : ~u64{0};
    out.symbols_.push_back({best->address, i < found.size() ? found[i].address : last_end, best->name, best->module});
  }
  return out;
}

ListedSymbols ListedSymbols::parse_perf_map(std::string_view text) {
  ListedSymbols out;
  std::vector<ListedSymbol> found;
  while (!text.empty()) {
    std::string_view line = text::take_part(text, '\n');
    if (line.empty()) continue;
    const auto begin = take_number(line);
    const auto size = begin.has_value() ? take_number(line) : std::nullopt;
    if (!size.has_value() || line.empty() || *size > ~u64{0} - *begin) {
      ++out.bad_lines_;
      continue;
    }
    if (*size != 0) found.push_back({*begin, *begin + *size, line, {}});
  }
  code::order_by(found, [](const ListedSymbol& one) { return one.begin; });
  for (const ListedSymbol& one : found) {
    if (!out.symbols_.empty() && out.symbols_.back().begin == one.begin) out.symbols_.pop_back();
    // Discarded code remains in the map, so an entry that begins inside an older entry replaces the end of the older
    // one.
    if (!out.symbols_.empty()) out.symbols_.back().end = std::min(out.symbols_.back().end, one.begin);
    out.symbols_.push_back(one);
  }
  return out;
}

const ListedSymbol* ListedSymbols::find(u64 address) const {
  const auto after = std::partition_point(symbols_.begin(), symbols_.end(),
                                          [&](const ListedSymbol& one) { return one.begin <= address; });
  if (after == symbols_.begin() || address >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

}  // namespace wperf::symbols
