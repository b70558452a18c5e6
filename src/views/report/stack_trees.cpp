// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/stack_report.h"
#include "views/report/tree_text.h"

namespace wperf::report {
namespace {

using stacks::CallNode;
using stacks::CallTree;
using stacks::kNothing;
using stacks::StackProfile;

struct TitledTree {
  CallTree tree;
  std::string_view title;
  bool with_self;
};

void append_tree(std::string& out, const StackProfile& profile, u32 event, const TitledTree& shown,
                 const StackOptions& options) {
  const auto& [tree, title, with_self] = shown;
  fmt::format_to(std::back_inserter(out), "\n{} (at least {} %)\n{}  function\n", title,
                 fmt::format("{:g}", options.percent_limit), with_self ? "   all %  self %" : "       %");
  append_tree_text(out, profile, tree,
                   {.whole = whole_period(profile, event, options),
                    .percent_limit = options.percent_limit,
                    .with_self = with_self,
                    .width = options.width,
                    .coloured = options.coloured});
  if (tree.cut_samples != 0) {
    fmt::format_to(std::back_inserter(out), "stacks are cut after {} calls: {} of the samples\n", stacks::kMostCallers,
                   text::with_commas(tree.cut_samples));
  }
}

}  // namespace

std::vector<u32> hot_functions(const StackProfile& profile, u32 event, const StackOptions& options) {
  constexpr usize kMostFunctions = 20;
  std::vector<u32> functions;
  const auto rows =
      stacks::make_rows(profile, event, {stacks::SortKey::symbol}, options.filter, options.callees || options.children);
  for (const stacks::StackRow& row : rows.rows) {
    if (functions.size() >= std::min<usize>(kMostFunctions, options.rows)) break;
    functions.push_back(row.function);
  }
  return functions;
}

void append_call_trees(std::string& out, const StackProfile& profile, u32 event, const StackOptions& options) {
  if (options.tree) {
    append_tree(out, profile, event, {make_call_tree(profile, event, options.filter), "call tree", true}, options);
  }
  if (!options.callers && !options.callees) return;
  const std::vector<u32> functions = hot_functions(profile, event, options);
  if (options.callers) {
    append_tree(out, profile, event,
                {make_caller_tree(profile, event, functions, options.filter), "hot functions and their callers", false},
                options);
  }
  if (options.callees) {
    append_tree(out, profile, event,
                {make_callee_tree(profile, event, functions, options.filter), "functions and their callees", true},
                options);
  }
}

void write_folded(const StackProfile& profile, u32 event, const StackOptions& options, const TakeText& take) {
  constexpr usize kLongPart = 1 << 16;
  const CallTree tree = make_folded_tree(profile, event, options.filter);
  const std::vector<CallNode>& nodes = tree.nodes();
  std::string out;
  // A path is its parent's with one more name; each is put together once, in depth-first order.
  const stacks::ChildLists children = tree.children();
  std::string path;
  struct Step {
    u32 node;
    usize length;  // of the path above it
  };
  std::vector<Step> steps;
  for (usize i = children[0].size(); i-- > 0;) steps.push_back({children[0][i], 0});
  while (!steps.empty()) {
    const auto [at, length] = steps.back();
    steps.pop_back();
    path.resize(length);
    const CallNode& node = nodes[at];
    const std::string& name = node.parent == 0 ? profile.names[node.label] : profile.functions[node.label].name;
    if (!path.empty()) path += ';';  // threads of profiles may have no name
    // A semicolon parts frames; names of Java and Lua code have some, too.
    for (const char c : name) path += c == ';' ? ':' : c == '\n' ? ' ' : c;
    if (node.self_samples != 0)
      out.append(path).append(1, ' ').append(std::to_string(node.self_samples)).append(1, '\n');
    if (out.size() >= kLongPart) {
      take(out);
      out.clear();
    }
    for (usize i = children[at].size(); i-- > 0;) steps.push_back({children[at][i], path.size()});
  }
  take(out);
}

}  // namespace wperf::report
