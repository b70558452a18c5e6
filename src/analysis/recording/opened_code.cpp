// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/opened_code.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "code/symbols/symbolizer.h"
#include "ground/os/files.h"
#include "ground/os/named_file.h"

namespace wperf::recording {
namespace {

// Each entry keeps a few mapped files, and the parts of small files that were read. If a machine uses more code files
// than this, files are opened again.
constexpr usize kMostFiles = 256;

}  // namespace

OpenedCode::Key OpenedCode::key_of(const perf_data::MappedCode& code) {
  if (code.was_replaced) return {std::string(code.path), "replaced"};
  return {std::string(code.path),
          std::string(reinterpret_cast<const char*>(code.build_id.data()), code.build_id.size())};
}

OpenedCode::Opened OpenedCode::state_of(const std::string& path) {
  if (os::is_network_path(path)) return {};
  const u64 size = os::file_size(path);
  return {.size = size, .changed_unix_ns = size != 0 ? os::last_change_unix_ns(path) : 0, .file = nullptr};
}

std::shared_ptr<const modules::CodeFile> OpenedCode::find(const perf_data::MappedCode& code) {
  const auto found = files_.find(key_of(code));
  if (found == files_.end()) return nullptr;
  const Opened now = state_of(found->first.first);
  if (now.size == found->second.size && now.changed_unix_ns == found->second.changed_unix_ns) return found->second.file;
  files_.erase(found);
  return nullptr;
}

std::shared_ptr<const modules::CodeFile> OpenedCode::keep(const perf_data::MappedCode& code, modules::CodeFile file) {
  auto shared = std::make_shared<const modules::CodeFile>(std::move(file));
  if (files_.size() >= kMostFiles) files_.clear();
  Key key = key_of(code);
  Opened opened = state_of(key.first);
  opened.file = shared;
  files_.insert_or_assign(std::move(key), std::move(opened));
  return shared;
}

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
