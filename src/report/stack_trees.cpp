// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/number_text.h"
#include "report/stack_report.h"

namespace wperf::report {
namespace {

using stacks::CallNode;
using stacks::CallTree;
using stacks::kNothing;
using stacks::StackProfile;

constexpr double kLeastPercent = 0.5;
constexpr usize kDeepest = 128;

double percent_of(u64 part, u64 whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// One line per node, indented by its depth.
class TreeText {
 public:
  TreeText(std::string& out, const StackProfile& profile, const CallTree& tree, u64 whole, bool with_self, usize width)
      : out_(out),
        profile_(profile),
        tree_(tree),
        children_(tree.children()),
        whole_(whole),
        with_self_(with_self),
        width_(width) {}

  void append() {
    for (const u32 child : children_[0]) append_node(child);
  }

 private:
  struct Step {
    u32 node;
    usize depth;
  };

  // Stacks may be deeper than ours.
  void append_node(u32 top) {
    std::vector<Step> steps{{top, 0}};
    while (!steps.empty()) {
      const Step step = steps.back();
      steps.pop_back();
      if (!append_line(step)) continue;
      const std::span<const u32> below = children_[step.node];
      for (usize i = below.size(); i-- > 0;) steps.push_back({below[i], step.depth + 1});
    }
  }
  bool is_large(u32 node) const { return percent_of(tree_.nodes()[node].all_period, whole_) >= kLeastPercent; }
  bool append_line(const Step& step) {
    const CallNode& node = tree_.nodes()[step.node];
    if (!is_large(step.node) || step.depth >= kDeepest) return false;
    const stacks::StackFunction& function = profile_.functions[node.label];
    std::string line = fmt::format("  {:>6}", fixed(percent_of(node.all_period, whole_), 2));
    if (with_self_) line += fmt::format("  {:>6}", fixed(percent_of(node.self_period, whole_), 2));
    line += fmt::format("  {}{}{}", std::string(step.depth, ' '), function.is_kernel ? "[k] " : "", function.name);
    const std::string& module = profile_.modules[function.module].name;
    if (!function.is_kernel) line += "  (" + module + ")";
    if (width_ != 0 && line.size() > width_) {
      usize kept = width_ > 2 ? width_ - 2 : 0;
      while (kept != 0 && (static_cast<u8>(line[kept]) & 0xc0u) == 0x80u) --kept;
      line = line.substr(0, kept) + "..";
    }
    out_ += line + '\n';
    return true;
  }

  std::string& out_;
  const StackProfile& profile_;
  const CallTree& tree_;
  stacks::ChildLists children_;
  u64 whole_;
  bool with_self_;
  usize width_;
};

void append_tree(std::string& out, const StackProfile& profile, u32 event, const CallTree& tree, std::string_view title,
                 bool with_self, const StackOptions& options) {
  fmt::format_to(std::back_inserter(out), "\n{} (from {} % on)\n{}  function\n", title, fixed(kLeastPercent, 1),
                 with_self ? "   all %  self %" : "       %");
  TreeText(out, profile, tree, whole_period(profile, event, options), with_self, options.width).append();
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
    append_tree(out, profile, event, make_call_tree(profile, event, options.filter), "call tree", true, options);
  }
  if (!options.callers && !options.callees) return;
  const std::vector<u32> functions = hot_functions(profile, event, options);
  if (options.callers) {
    append_tree(out, profile, event, make_caller_tree(profile, event, functions, options.filter),
                "hot functions, and below each who called it", false, options);
  }
  if (options.callees) {
    append_tree(out, profile, event, make_callee_tree(profile, event, functions, options.filter),
                "functions, and below each what it called", true, options);
  }
}

std::string folded_text(const StackProfile& profile, u32 event, const StackOptions& options) {
  const CallTree tree = make_folded_tree(profile, event, options.filter);
  const std::vector<CallNode>& nodes = tree.nodes();
  std::string out;
  // A path is its parent's with one more name; each is put together once, in depth-first order.
  const stacks::ChildLists children = tree.children();
  std::string path;
  struct Step {
    u32 node;
    usize length;  // of the path before it
  };
  std::vector<Step> steps;
  for (usize i = children[0].size(); i-- > 0;) steps.push_back({children[0][i], 0});
  while (!steps.empty()) {
    const auto [at, length] = steps.back();
    steps.pop_back();
    path.resize(length);
    const CallNode& node = nodes[at];
    const std::string& name = node.parent == 0 ? profile.names[node.label] : profile.functions[node.label].name;
    if (length != 0) path += ';';
    // A semicolon parts frames; names of Java and Lua code have some, too.
    for (const char c : name) path += c == ';' ? ':' : c == '\n' ? ' ' : c;
    if (node.self_samples != 0)
      out.append(path).append(1, ' ').append(std::to_string(node.self_samples)).append(1, '\n');
    for (usize i = children[at].size(); i-- > 0;) steps.push_back({children[at][i], path.size()});
  }
  return out;
}

}  // namespace wperf::report
