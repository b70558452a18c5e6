// SPDX-License-Identifier: BSD-3-Clause
#include "model/answers/compat_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace wperf::answers {

u64 CompatProfile::samples_generated() const {
  u64 sum = 0;
  for (const CoreSamples& core : cores) sum += core.generated;
  return sum;
}

u64 CompatProfile::samples_dropped() const {
  u64 sum = 0;
  for (const CoreSamples& core : cores) sum += core.lost_ring_full + core.lost_filtered;
  return sum;
}

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

std::string display_name(const CompatProfile& profile, u32 symbol_index) {
  const Symbol& symbol = profile.symbols[symbol_index];
  std::string name(bare_name(symbol));
  if (symbol.kind == SymbolKind::function && symbol.module != kNone) {
    const SampleModule& module = profile.target.modules[symbol.module];
    if (!module.main) name += ':' + module.name;
  }
  return name;
}

std::vector<const SymbolRow*> choose_rows(const CompatProfile& profile, const SampledEvent& event, u32 most,
                                          const NameFilter& filter) {
  std::vector<const SymbolRow*> rows;
  for (const SymbolRow& row : event.rows) {
    if (rows.size() >= most) break;
    if (!filter || filter(bare_name(profile.symbols[row.symbol]))) rows.push_back(&row);
  }
  return rows;
}

const CodeBlock* find_code(const CompatProfile& profile, u32 module, u32 begin, u32 end) {
  const auto key = [](const CodeBlock& block) { return std::tuple(block.module, block.begin, block.end); };
  const std::tuple wanted(module, begin, end);
  const auto found = std::lower_bound(profile.code.begin(), profile.code.end(), wanted,
                                      [&](const CodeBlock& block, const auto& value) { return key(block) < value; });
  return found != profile.code.end() && key(*found) == wanted ? &*found : nullptr;
}

std::string_view source_line(const SourceFile& file, u32 line) {
  std::string_view rest = file.text;
  for (u32 skipped = 1; skipped < line; ++skipped) {
    const usize end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::string_view text = line == 0 ? std::string_view() : rest.substr(0, rest.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string place_text(std::string_view name, u32 offset) {
  return offset == 0 ? std::string(name) : fmt::format("{}+0x{:x}", name, offset);
}

}  // namespace wperf::answers
