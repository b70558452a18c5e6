// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/symbol_filter.h"

#include "base/ascii.h"

namespace wperf::request {
namespace {

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (usize i = 0; i < a.size(); ++i) {
    if (ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  }
  return true;
}

}  // namespace

SymbolFilter parse_symbol_filter(std::string_view text) {
  const bool from_start = !text.empty() && text.front() == '^';
  if (from_start) text.remove_prefix(1);
  const bool to_end = !text.empty() && text.back() == '$';
  if (to_end) text.remove_suffix(1);
  SymbolFilter filter;
  filter.text = std::string(text);
  filter.open_start = to_end && !from_start;
  filter.open_end = from_start && !to_end;
  return filter;
}

bool matches(const SymbolFilter& filter, std::string_view name) {
  const std::string_view text = filter.text;
  if (text.empty()) return true;
  if (name.size() < text.size()) return false;
  if (filter.open_start) return same(name.substr(name.size() - text.size()), text);
  if (filter.open_end) return same(name.substr(0, text.size()), text);
  return same(name, text);
}

}  // namespace wperf::request
