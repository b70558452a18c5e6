// SPDX-License-Identifier: BSD-3-Clause
#include "views/compat/compat_rows.h"

#include <algorithm>
#include <tuple>

namespace wperf::compat {

std::string_view bare_name(const Symbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::function:
      return symbol.name;
    case SymbolKind::unknown:
      return "unknown";
    case SymbolKind::kernel:
      return "[kernel]";
    case SymbolKind::other_process:
      return "[other process]";
  }
  return {};
}

std::string display_name(const CompatView& view, u32 symbol_index) {
  const Symbol& symbol = view.symbols[symbol_index];
  std::string name(bare_name(symbol));
  if (symbol.kind == SymbolKind::function && symbol.module != kNone) {
    const answers::SampleModule& module = view.run.target.modules[symbol.module];
    if (!module.main) name += ':' + module.name;
  }
  return name;
}

std::vector<const SymbolRow*> choose_rows(const CompatView& view, const SampledEvent& event, u32 most,
                                          const NameFilter& filter) {
  std::vector<const SymbolRow*> rows;
  for (const SymbolRow& row : event.rows) {
    if (rows.size() >= most) break;
    if (!filter || filter(bare_name(view.symbols[row.symbol]))) rows.push_back(&row);
  }
  return rows;
}

const CodeBlock* find_code(const CompatView& view, u32 module, u32 begin, u32 end) {
  const auto key = [](const CodeBlock& block) { return std::tuple(block.module, block.begin, block.end); };
  const std::tuple wanted(module, begin, end);
  const auto found = std::lower_bound(view.code.begin(), view.code.end(), wanted,
                                      [&](const CodeBlock& block, const auto& value) { return key(block) < value; });
  return found != view.code.end() && key(*found) == wanted ? &*found : nullptr;
}

}  // namespace wperf::compat
