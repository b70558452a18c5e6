// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/naming/sample_naming.h"

#include <algorithm>

namespace wperf::naming {
namespace {

const answers::AddressAnswer* find_answer(const std::vector<answers::AddressAnswer>& answers, u32 rva) {
  const auto found =
      std::lower_bound(answers.begin(), answers.end(), rva,
                       [](const answers::AddressAnswer& answer, u32 wanted) { return answer.rva < wanted; });
  return found != answers.end() && found->rva == rva ? &*found : nullptr;
}

}  // namespace

u32 NameTable::symbol(answers::SymbolKind kind, u32 module, std::string_view name) {
  std::string key = std::to_string(static_cast<u32>(kind)) + ':' + std::to_string(module) + ':';
  key += name;
  const auto [entry, is_new] = symbol_numbers_.try_emplace(std::move(key), static_cast<u32>(symbols_.size()));
  if (is_new) symbols_.push_back({.kind = kind, .name = std::string(name), .module = module});
  return entry->second;
}

u32 NameTable::file(const std::string& path) {
  const auto [entry, is_new] = file_numbers_.try_emplace(path, static_cast<u32>(files_.size()));
  if (is_new) files_.push_back({.path = path, .text = {}});
  return entry->second;
}

std::vector<NamedPlace> name_places(const std::vector<Place>& places, const std::vector<answers::SampleModule>& modules,
                                    const std::vector<std::vector<answers::AddressAnswer>>& answers, NameTable& names) {
  const ModuleMap map(modules);
  std::vector<NamedPlace> named;
  named.reserve(places.size());
  named.push_back({.symbol = names.symbol(answers::SymbolKind::other_process, answers::kNone, {})});
  for (usize number = 1; number < places.size(); ++number) {
    const Place& place = places[number];
    NamedPlace out{.address = place.address, .symbol = 0, .module = map.find(place), .answer = nullptr};
    if (out.module != answers::kNone && out.module < answers.size()) {
      out.answer = find_answer(answers[out.module], static_cast<u32>(place.address - modules[out.module].base));
    }
    if (out.answer != nullptr && !out.answer->function.empty()) {
      out.symbol = names.symbol(answers::SymbolKind::function, out.module, out.answer->function);
    } else {
      const bool nowhere = out.module == answers::kNone;
      out.symbol = names.symbol(nowhere && place.kernel ? answers::SymbolKind::kernel : answers::SymbolKind::unknown,
                                answers::kNone, {});
    }
    named.push_back(out);
  }
  return named;
}

}  // namespace wperf::naming
