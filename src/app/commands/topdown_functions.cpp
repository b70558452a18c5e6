// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/topdown_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/stacks/stack_rows.h"

namespace wperf::commands {

// Functions, and of each the line that was hit most.
void add_functions(const stacks::StackProfile& profile, report::TopdownSamples& where) {
  using stacks::SortKey;
  if (profile.events.empty()) return;
  const stacks::StackRows functions = stacks::make_rows(profile, 0, {SortKey::module, SortKey::symbol}, {}, false);
  const stacks::StackRows lines = stacks::make_rows(profile, 0, {SortKey::symbol, SortKey::line}, {}, false);
  where.samples = functions.samples;
  for (const stacks::StackRow& row : functions.rows) {
    report::TopdownFunction function;
    function.function = profile.functions[row.function].name;
    function.module = profile.modules[row.module].name;
    function.samples = row.self_samples;
    for (const stacks::StackRow& line : lines.rows) {
      if (line.function != row.function || line.line == stacks::kNothing) continue;
      function.line = profile.lines[line.line];
      function.line_samples = line.self_samples;
      break;  // the greatest first
    }
    where.functions.push_back(std::move(function));
  }
}

void note_nameless(const stacks::StackProfile& profile, std::vector<std::string>& notes) {
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function =
        profile.functions[profile.places[profile.nodes[sample.node].place].function];
    const stacks::StackModule& module = profile.modules[function.module];
    if (function.is_known || module.reason.empty()) continue;
    std::string note = fmt::format("functions of {} have no names: {}", module.name, module.reason);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
}

}  // namespace wperf::commands
