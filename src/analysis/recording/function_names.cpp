// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/function_names.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "code/symbols/symbolizer.h"

namespace wperf::recording {

NamelessCode::NamelessCode(const modules::CodeFile& file) {
  if (file.is_windows()) base_ = file.image_base();
  if (file.elf() == nullptr) return;
  const unwind::FrameSections sections = unwind::eh_frame_of(*file.elf());
  if (!sections.frames.empty()) frames_.emplace(sections);
}

void NamelessCode::find_bounds(symbols::SymbolizedAddress& answer) {
  if (answer.begin != answer.end || !frames_.has_value()) return;
  const auto function = frames_->function_at(answer.address);
  if (!function.has_value()) return;
  answer.begin = function->begin;
  answer.end = function->end;
}

std::string NamelessCode::name(const std::string& module, u64 address) const {
  return fmt::format("{}+{:#x}", module, address - base_);
}

void tell_overloads_apart(const modules::CodeFile& file, const std::unordered_map<u64, u32>& functions,
                          stacks::StackProfile& profile) {
  std::map<std::string_view, std::vector<u64>> by_name;
  for (const auto& [begin, number] : functions) by_name[profile.functions[number].name].push_back(begin);
  std::vector<std::pair<u32, std::string>> renamed;
  for (const auto& [name, begins] : by_name) {
    for (usize i = 0; begins.size() > 1 && i < begins.size(); ++i) {
      std::string full = symbols::signature(file.function_at(begins[i], true).function);
      if (!full.empty()) renamed.emplace_back(functions.at(begins[i]), std::move(full));
    }
  }
  for (auto& [number, name] : renamed) profile.functions[number].name = std::move(name);
}

}  // namespace wperf::recording
