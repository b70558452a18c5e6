// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/function_sources.h"

namespace wperf::compare {
namespace {

// A function of a run whose beginning in its file is known.
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
