// SPDX-License-Identifier: BSD-3-Clause
// The tables of a profile while its addresses are named: places, texts, lines, inlined functions and modules of Python
// are added once.
#pragma once
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/recording/python_names.h"
#include "code/modules/elf_files.h"
#include "model/stacks/id_table.h"
#include "model/stacks/python_modules.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

class ProfileTables {
 public:
  explicit ProfileTables(stacks::StackProfile& profile) : profile_(profile) {}

  u32 add_module(std::string name, std::string_view path, std::string reason) {
    profile_.modules.push_back({std::move(name), std::string(path), std::move(reason)});
    return static_cast<u32>(profile_.modules.size() - 1);
  }
  u32 add_function(std::string_view name, u32 module, bool kernel = false) {
    profile_.functions.push_back({name.empty() ? "[unknown]" : std::string(name), module, !name.empty(), kernel});
    return static_cast<u32>(profile_.functions.size() - 1);
  }
  u32 add_place(u32 function, u32 line = stacks::kNothing) {
    const auto [place, is_new] = places_.insert(function, line);
    if (is_new) profile_.places.push_back({function, line});
    return place;
  }
  u32 text(std::string_view one) {
    const auto [entry, is_new] = texts_.try_emplace(std::string(one), static_cast<u32>(profile_.texts.size()));
    if (is_new) profile_.texts.push_back(entry->first);
    return entry->second;
  }
  u32 add_line(std::string_view file, u32 line) {
    if (file.empty() || line == 0) return stacks::kNothing;
    // Python files get their names in tell_python_files_apart(), when all are known.
    const bool is_python = stacks::is_python_file(file);
    const std::string_view name = is_python ? file : modules::base_name(file);
    const auto [entry, is_new] =
        line_numbers_.try_emplace(fmt::format("{}:{}", name, line), static_cast<u32>(profile_.lines.size()));
    if (is_new) profile_.lines.push_back(fmt::format("{}:{}", modules::base_name(file), line));
    if (is_new && is_python) python_lines_.push_back({std::string(file), line, entry->second});
    return entry->second;
  }
  u32 inlined_function(std::string_view name, u32 module) {
    const auto [entry, is_new] = inlined_functions_.try_emplace({module, std::string(name)}, 0);
    if (is_new) {
      entry->second = add_function(std::string(name).append(stacks::kInlinedMark), module);
      profile_.functions.back().is_inlined = true;
    }
    return entry->second;
  }
  using ModuleOfFile = std::map<std::pair<std::string_view, bool>, u32>;
  // The module of a Python function is its file.
  u32 module_of_python(std::string_view file, ModuleOfFile& files, bool is_of_other_root = false) {
    const auto [module, is_new] = files.try_emplace({file, is_of_other_root}, 0);
    if (is_new) {
      module->second = add_module(std::string(python_module(file)), file, {});
      profile_.modules.back().is_python = true;
      profile_.modules.back().is_of_other_root = is_of_other_root;
      python_modules_.push_back(module->second);
    }
    return module->second;
  }
  // Called after all modules and lines were added: files with the same name get more folders, as many as they need to
  // differ.
  void tell_python_files_apart() {
    tell_python_modules_apart();
    std::map<std::string_view, std::string_view> names;  // by path
    for (const u32 one : python_modules_) names[profile_.modules[one].path] = profile_.modules[one].name;
    for (const PythonLine& one : python_lines_) {
      const auto known = names.find(one.file);
      if (known != names.end()) profile_.lines[one.number] = fmt::format("{}:{}", known->second, one.line);
    }
  }

 private:
  struct PythonLine {
    std::string file;
    u32 line = 0, number = 0;  // number: in profile_.lines
  };

  void tell_python_modules_apart() {
    constexpr int kMostFolders = 64;
    for (int folders = 0; folders < kMostFolders; ++folders) {
      std::map<std::string, std::set<std::string_view>> paths;  // by name
      for (const u32 one : python_modules_) paths[profile_.modules[one].name].insert(profile_.modules[one].path);
      if (paths.size() == python_modules_.size()) return;
      std::vector<std::pair<stacks::StackModule*, std::string_view>> longer_names;
      bool is_any_longer = false;
      for (const u32 one : python_modules_) {
        stacks::StackModule& module = profile_.modules[one];
        if (paths[module.name].size() < 2) continue;
        const std::string_view longer = longer_python_module(module.path, module.name);
        is_any_longer = is_any_longer || longer.size() != module.name.size();
        longer_names.emplace_back(&module, longer);
      }
      if (!is_any_longer) return;
      for (const auto& [module, name] : longer_names) module->name = name;
    }
  }

  stacks::StackProfile& profile_;
  std::unordered_map<std::string, u32> texts_;
  stacks::SmallIdTable places_;
  std::unordered_map<std::string, u32> line_numbers_;
  std::map<std::pair<u32, std::string>, u32> inlined_functions_;  // keyed by module and name
  std::vector<u32> python_modules_;
  std::vector<PythonLine> python_lines_;
};

}  // namespace wperf::recording
