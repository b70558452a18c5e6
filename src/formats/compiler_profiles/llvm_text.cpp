// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::compiler_profiles {
namespace {

void put_place(std::string& out, usize depth, const SourceLocation& at) {
  out.append(depth, ' ');
  fmt::format_to(std::back_inserter(out), "{}", at.line);
  if (at.discriminator != 0) fmt::format_to(std::back_inserter(out), ".{}", at.discriminator);
}

// Blanks at the beginning of a line show its depth.
void put_function(std::string& out, usize depth, const FunctionProfile& function) {
  for (const auto& [at, body] : function.body) {
    put_place(out, depth, at);
    fmt::format_to(std::back_inserter(out), ": {}", body.count);
    for (const auto& [name, count] : body.targets) fmt::format_to(std::back_inserter(out), " {}:{}", name, count);
    out += '\n';
  }
  for (const auto& [at, callees] : function.inlined) {
    for (const auto& [name, callee] : callees) {
      put_place(out, depth, at);
      fmt::format_to(std::back_inserter(out), ": {}:{}\n", name, callee.total);
      put_function(out, depth + 1, callee);
    }
  }
}

}  // namespace

std::vector<const FunctionProfiles::value_type*> largest_first(const FunctionProfiles& functions) {
  std::vector<const FunctionProfiles::value_type*> sorted;
  for (const auto& one : functions) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->second.total > b->second.total; });
  return sorted;
}

std::string llvm_text(const FunctionProfiles& functions) {
  std::string out;
  for (const auto* const one : largest_first(functions)) {
    fmt::format_to(std::back_inserter(out), "{}:{}:{}\n", one->first, one->second.total, one->second.head);
    put_function(out, 1, one->second);
  }
  return out;
}

}  // namespace wperf::compiler_profiles
