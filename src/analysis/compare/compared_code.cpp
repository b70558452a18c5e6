// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/compared_code.h"

#include <utility>

#include "analysis/recording/mapped_code.h"
#include "analysis/recording/opened_code.h"
#include "code/modules/symbol_folders.h"

namespace wperf::compare {
namespace {

class ModuleFile final : public compare::BuildFile {
 public:
  ModuleFile(modules::CodeFile file, bool decorated)
      : file_(std::move(file)), nameless_(file_), decorated_(decorated) {}
  std::optional<u64> code_hash(u64 begin) override;
  std::optional<compare::SourceLine> source_of(u64 begin) const override;
  void for_each_name(const std::function<void(u64, std::string_view)>& visit) const override {
    file_.for_each_name(decorated_, visit);
  }

 private:
  modules::CodeFile file_;
  recording::NamelessCode nameless_;
  bool decorated_;
};

std::optional<u64> ModuleFile::code_hash(u64 begin) {
  symbols::SymbolizedAddress function = file_.function_at(begin, true);
  nameless_.find_bounds(function);
  return function.begin == begin ? file_.code_hash({begin, function.end}) : std::nullopt;
}

// The last frame is the function itself; the other frames are inlined where it begins.
std::optional<compare::SourceLine> ModuleFile::source_of(u64 begin) const {
  const symbols::Symbolization known = file_.answer({begin}, {.lines = true, .decorated = decorated_});
  const symbols::SymbolizedAddress& answer = known.answers.front();
  if (answer.frame_count == 0) return std::nullopt;
  const symbols::SymbolizedFrame& frame = known.frames[answer.first_frame + answer.frame_count - 1];
  if (frame.file.empty() || frame.line == 0) return std::nullopt;
  return compare::SourceLine{std::string(frame.file), frame.line};
}

// The module of a function, and its beginning in the module's file.
struct KnownPlace {
  const stacks::StackModule* module = nullptr;
  u64 begin = 0;
};

std::optional<KnownPlace> place_of(u32 function, const Comparison& comparison, std::span<const RunCosts> after) {
  for (usize run = 0; run < after.size(); ++run) {
    const std::vector<u32>& numbers = comparison.matched.of_run[comparison.files_before.size() + run];
    for (usize i = 0; i < numbers.size(); ++i) {
      const Unit& unit = after[run].units[i];
      if (numbers[i] != function || unit.begins.empty() || unit.file == stacks::kNothing) continue;
      return KnownPlace{&after[run].files[unit.file], unit.begins.front()};
    }
  }
  return std::nullopt;
}

}  // namespace

compare::OpenBuildFile code_of_builds(const modules::SymbolOptions& symbols, FileDetail detail) {
  return [&symbols, detail](const stacks::StackModule& module) -> std::unique_ptr<compare::BuildFile> {
    const modules::ElfSearch search{.folders = modules::symbol_folders(symbols.symbol_path),
                                    .lines = detail == FileDetail::lines};
    modules::CodeFile file = recording::load_module_again(module, search, symbols);
    if (!file.has_symbols()) return nullptr;
    return std::make_unique<ModuleFile>(std::move(file), symbols.decorated);
  };
}

void find_sources(const Comparison& comparison, std::span<const RunCosts> after, const OpenBuildFile& open,
                  std::vector<Verdict>& verdicts) {
  for (Verdict& verdict : verdicts) {
    if (verdict.kind == Verdict::Kind::passed || !verdict.function.has_value()) continue;
    const std::optional<KnownPlace> place = place_of(*verdict.function, comparison, after);
    if (!place.has_value()) continue;
    if (const auto file = open(*place->module); file != nullptr) verdict.source = file->source_of(place->begin);
  }
}

}  // namespace wperf::compare
