// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "model/stacks/call_tree.h"
#include "model/stacks/python_modules.h"
#include "views/report/stack_report.h"

namespace wperf::report {
namespace {

struct TreeTextOptions {
  u64 whole = 0;             // the weight that is 100 %
  double percent_limit = 0;  // smaller nodes are left out
  bool with_self = false;    // adds a column for samples in the function itself
  usize width = 0;           // of the terminal in characters; 0: not a terminal
  bool coloured = false;
};

using stacks::CallNode;
using stacks::CallTree;
using stacks::StackProfile;

constexpr usize kDeepest = 128;
constexpr usize kWidthOfFiles = 120;  // used to break chains in output to a file

struct FoldedTree {
  CallTree tree;
  std::vector<u32> levels;  // by node: the maximum depth of the recursion that it represents
};

// Merges each call of a function by itself into the caller, together with its callees.
FoldedTree without_recursion(const CallTree& tree) {
  FoldedTree folded;
  folded.levels = {1};
  const std::vector<CallNode>& nodes = tree.nodes();
  std::vector<u32> moved(nodes.size(), 0), level(nodes.size(), 1);
  for (u32 i = 1; i < nodes.size(); ++i) {  // parents come before their children
    const CallNode& node = nodes[i];
    if (node.parent != 0 && nodes[node.parent].label == node.label) {
      moved[i] = moved[node.parent];
      level[i] = level[node.parent] + 1;
    } else {
      moved[i] = folded.tree.insert(moved[node.parent], node.label);
    }
    folded.levels.resize(folded.tree.nodes().size(), 1);
    folded.levels[moved[i]] = std::max(folded.levels[moved[i]], level[i]);
    folded.tree.add_self(moved[i], {.count = node.self_samples, .period = node.self_period});
  }
  folded.tree.sum_up();
  return folded;
}

class TreeText {
 public:
  TreeText(std::string& out, const StackProfile& profile, const CallTree& tree, const std::vector<u32>* levels,
           const TreeTextOptions& options)
      : out_(out), profile_(profile), tree_(tree), levels_(levels), children_(tree.children()), options_(options) {}

  // Does not use recursion, because the stacks may be deeper than the stack of wperf allows.
  void append() {
    std::vector<Step> steps;
    push_children(0, 0, "", steps);
    while (!steps.empty()) {
      const Step step = std::move(steps.back());
      steps.pop_back();
      const std::vector<u32> chain = chain_from(step.node);
      append_chain(chain, step);
      if (step.depth + 1 < kDeepest)
        push_children(chain.back(), step.depth + 1, step.guides + std::string(below(step)), steps);
    }
  }

 private:
  struct Step {
    u32 node;
    usize depth;
    std::string guides;  // the guide lines for its ancestors
    bool is_last;
  };

  static std::string_view before(const Step& step) { return step.depth == 0 ? "" : step.is_last ? "└ " : "├ "; }
  static std::string_view below(const Step& step) { return step.depth == 0 ? "" : step.is_last ? "  " : "│ "; }

  const CallNode& node(u32 number) const { return tree_.nodes()[number]; }
  double percent(u64 period) const { return text::percent_of(period, options_.whole); }
  // Ordered by size, the largest first.
  std::span<const u32> large_children(u32 parent) const {
    const std::span<const u32> all = children_[parent];
    usize count = 0;
    while (count < all.size() && percent(node(all[count]).all_period) >= options_.percent_limit) ++count;
    return all.first(count);
  }
  void push_children(u32 parent, usize depth, const std::string& guides, std::vector<Step>& steps) const {
    const std::span<const u32> children = large_children(parent);
    for (usize i = children.size(); i-- > 0;) steps.push_back({children[i], depth, guides, i + 1 == children.size()});
  }
  std::string percent_text(u64 period) const { return text::fixed(percent(period), 2); }

  // A chain of functions in which each only calls the next one, judged by the printed columns.
  std::vector<u32> chain_from(u32 first) const {
    std::vector<u32> chain{first};
    while (true) {
      const u32 last = chain.back();
      const std::span<const u32> children = large_children(last);
      if (children.size() != 1 || percent_text(node(children[0]).all_period) != percent_text(node(last).all_period))
        break;
      if (options_.with_self && percent_text(node(last).self_period) != "0.00") break;
      chain.push_back(children[0]);
    }
    return chain;
  }

  std::string name_of(u32 number) const {
    const stacks::StackFunction& function = profile_.functions[node(number).label];
    std::string name = (function.is_kernel ? "[k] " : "") + text::name_in_line(function.name);
    if (levels_ != nullptr && (*levels_)[number] > 1) name += fmt::format(" × {}", (*levels_)[number]);
    return name;
  }
  // "name", or "name (module)" if the next function is in another module.
  std::vector<std::string> pieces_of(const std::vector<u32>& chain) const {
    std::vector<std::string> pieces;
    for (usize i = 0; i < chain.size(); ++i) {
      const stacks::StackFunction& function = profile_.functions[node(chain[i]).label];
      const bool ends = i + 1 == chain.size();
      const bool same = !ends && profile_.functions[node(chain[i + 1]).label].module == function.module;
      std::string& piece = pieces.emplace_back(name_of(chain[i]));
      if (!function.is_kernel && !same)
        piece += " (" + text::name_in_line(profile_.modules[function.module].name) + ")";
      if (!ends) piece += " →";
    }
    return pieces;
  }

  void append_chain(const std::vector<u32>& chain, const Step& step) {
    const CallNode& first = node(chain.front());
    std::string numbers = fmt::format("  {:>6}", percent_text(first.all_period));
    if (options_.with_self) numbers += fmt::format("  {:>6}", percent_text(node(chain.back()).self_period));
    std::string line = numbers + "  " + step.guides + std::string(before(step));
    const std::string next = std::string(numbers.size() + 2, ' ') + step.guides + std::string(below(step));
    const usize limit = options_.width != 0 ? options_.width : kWidthOfFiles;
    const double share = percent(options_.with_self ? node(chain.back()).self_period : first.all_period);
    bool begun = false;
    for (const std::string& piece : pieces_of(chain)) {
      if (begun && text::width_of(line) + 1 + text::width_of(piece) > limit) {
        end_line(line, share);
        line = next;
        begun = false;
      }
      line.append(begun ? " " : "").append(piece);
      begun = true;
    }
    end_line(line, share);
  }
  void end_line(const std::string& line, double share) {
    std::string whole = options_.width != 0 ? text::cut_to(line, options_.width) : line;
    out_ += options_.coloured ? text::coloured_by_share(std::move(whole), share) : whole;
    out_ += '\n';
  }

  std::string& out_;
  const StackProfile& profile_;
  const CallTree& tree_;
  const std::vector<u32>* levels_;  // null: no function calls itself
  stacks::ChildLists children_;
  const TreeTextOptions& options_;
};

bool has_large_recursion(const CallTree& tree, const TreeTextOptions& options) {
  const std::vector<CallNode>& nodes = tree.nodes();
  return std::any_of(nodes.begin() + 1, nodes.end(), [&](const CallNode& node) {
    return node.parent != 0 && nodes[node.parent].label == node.label &&
           text::percent_of(nodes[node.parent].all_period, options.whole) >= options.percent_limit;
  });
}

void append_tree_text(std::string& out, const StackProfile& profile, const CallTree& tree,
                      const TreeTextOptions& options) {
  if (!has_large_recursion(tree, options)) return TreeText(out, profile, tree, nullptr, options).append();
  const FoldedTree folded = without_recursion(tree);
  TreeText(out, profile, folded.tree, &folded.levels, options).append();
}

using stacks::CallNode;
using stacks::CallTree;
using stacks::kNothing;
using stacks::StackProfile;

// Does the percent limit leave out all nodes of the tree?
bool is_all_small(const CallTree& tree, const TreeTextOptions& options) {
  const auto is_small = [&](const CallNode& node) {
    return node.parent != 0 || text::percent_of(node.all_period, options.whole) < options.percent_limit;
  };
  return tree.nodes().front().all_period != 0 && std::all_of(tree.nodes().begin() + 1, tree.nodes().end(), is_small);
}

struct TitledTree {
  CallTree tree;
  std::string_view title;
  bool with_self;
  const stacks::StackFilter& filter;  // for the samples of the tree
};

void append_tree(std::string& out, const StackProfile& profile, u32 event, const TitledTree& shown,
                 const StackOptions& options) {
  const auto& [tree, title, with_self, filter] = shown;
  fmt::format_to(std::back_inserter(out), "\n{} (at least {} %)\n{}  function\n", title,
                 fmt::format("{:g}", options.percent_limit), with_self ? "   all %  self %" : "       %");
  const TreeTextOptions text{.whole = whole_period(profile, event, filter, options.relative),
                             .percent_limit = options.percent_limit,
                             .with_self = with_self,
                             .width = options.width,
                             .coloured = options.coloured};
  append_tree_text(out, profile, tree, text);
  if (is_all_small(tree, text)) {
    fmt::format_to(std::back_inserter(out), "  everything is below {:g} %; --percent-limit 0 shows it\n",
                   options.percent_limit);
  }
  if (tree.cut_samples != 0) {
    fmt::format_to(std::back_inserter(out), "stacks are cut after {} calls: {} of the samples\n", stacks::kMostCallers,
                   text::with_commas(tree.cut_samples));
  }
}

}  // namespace

std::vector<u32> hot_functions(const StackProfile& profile, u32 event, const StackOptions& options) {
  constexpr usize kMostFunctions = 20;
  std::vector<u32> functions;
  const bool with_callees = options.callees || options.children;
  const auto rows = stacks::make_rows(profile, event, {stacks::SortKey::symbol},
                                      with_callees ? filter_of_callees(options) : options.filter, with_callees);
  for (const stacks::StackRow& row : rows.rows) {
    if (functions.size() >= std::min<usize>(kMostFunctions, options.rows)) break;
    functions.push_back(row.function);
  }
  return functions;
}

void append_call_trees(std::string& out, const StackProfile& profile, u32 event, const StackOptions& options) {
  if (options.tree) {
    const stacks::StackFilter& filter = options.filter;
    append_tree(out, profile, event, {make_call_tree(profile, event, filter), "call tree", true, filter}, options);
  }
  if (!options.callers && !options.callees) return;
  const std::vector<u32> functions = hot_functions(profile, event, options);
  if (options.callers) {
    const stacks::StackFilter filter = filter_of_callers(options);
    CallTree tree = make_caller_tree(profile, event, functions, filter);
    append_tree(out, profile, event, {std::move(tree), "hot functions and their callers", false, filter}, options);
  }
  if (options.callees) {
    const stacks::StackFilter filter = filter_of_callees(options);
    CallTree tree = make_callee_tree(profile, event, functions, filter);
    append_tree(out, profile, event, {std::move(tree), "functions and their callees", true, filter}, options);
  }
}

namespace {

// The names of functions in folded stacks, which have no modules. If Python functions in several files have the same
// name, the file is added.
std::vector<std::string> folded_names(const StackProfile& profile) {
  const auto is_of_python = [&](const stacks::StackFunction& one) {
    return one.is_known && one.module != kNothing &&
           (profile.modules[one.module].is_python || stacks::is_python_file(profile.modules[one.module].name));
  };
  std::map<std::string_view, std::set<std::string_view>> files;  // by function
  for (const stacks::StackFunction& one : profile.functions) {
    if (is_of_python(one)) files[one.name].insert(profile.modules[one.module].name);
  }
  std::vector<std::string> names;
  names.reserve(profile.functions.size());
  for (const stacks::StackFunction& one : profile.functions) {
    const bool needs_file = is_of_python(one) && files[one.name].size() > 1;
    names.push_back(needs_file ? fmt::format("{} ({})", one.name, profile.modules[one.module].name) : one.name);
  }
  return names;
}

}  // namespace

void write_folded(const StackProfile& profile, u32 event, const StackOptions& options, const TakeText& take) {
  constexpr usize kLongPart = 1 << 16;
  const CallTree tree = make_folded_tree(profile, event, options.filter);
  const std::vector<CallNode>& nodes = tree.nodes();
  const std::vector<std::string> functions = folded_names(profile);
  std::string out;
  // A path is the path of its parent with one more name. Each path is made once, in depth-first order.
  const stacks::ChildLists children = tree.children();
  std::string path;
  struct Step {
    u32 node;
    usize length;  // length of its parent's path
  };
  std::vector<Step> steps;
  for (usize i = children[0].size(); i-- > 0;) steps.push_back({children[0][i], 0});
  while (!steps.empty()) {
    const auto [at, length] = steps.back();
    steps.pop_back();
    path.resize(length);
    const CallNode& node = nodes[at];
    const std::string& name = node.parent == 0 ? profile.names[node.label] : functions[node.label];
    if (!path.empty()) path += ';';  // threads in profiles may have no name
    // Semicolons separate frames, but names of Java and Lua code can contain semicolons.
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
