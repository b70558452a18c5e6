// SPDX-License-Identifier: BSD-3-Clause
#include "commands/compared_code.h"

#include <utility>

#include "modules/symbol_folders.h"
#include "recording/mapped_code.h"

namespace wperf::commands {
namespace {

class ModuleFile final : public compare::BuildFile {
 public:
  ModuleFile(modules::CodeFile file, bool decorated) : file_(std::move(file)), decorated_(decorated) {}
  std::optional<u64> code_hash(u64 begin) const override { return file_.code_hash(begin); }
  void for_each_name(const std::function<void(u64, std::string_view)>& visit) const override {
    file_.for_each_name(decorated_, visit);
  }

 private:
  modules::CodeFile file_;
  bool decorated_;
};

}  // namespace

compare::OpenBuildFile code_of_builds(const request::Request& request) {
  return [&request](const stacks::StackModule& module) -> std::unique_ptr<compare::BuildFile> {
    const modules::ElfSearch search{.folders = modules::symbol_folders(request), .lines = false};
    modules::CodeFile file = recording::load_module_again(module, search, modules::symbol_options(request));
    if (!file.has_symbols()) return nullptr;
    return std::make_unique<ModuleFile>(std::move(file), request.sampling.display.decorated_names);
  };
}

}  // namespace wperf::commands
