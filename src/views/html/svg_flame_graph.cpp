// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/svg_flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "model/stacks/call_tree.h"
#include "views/report/diff_report.h"
#include "views/report/escaping.h"

namespace wperf::html {
namespace {

using stacks::StackProfile;

constexpr double kWidth = 1200, kMargin = 10, kLeastWidth = 0.6, kCharacter = 6.65;
constexpr u32 kFrame = 18, kTop = 56, kBottom = 30;
constexpr usize kLongestTitle = 240;

struct Frame {
  u32 node = 0, depth = 0;
  double x = 0, width = 0;
};

struct Layout {
  std::vector<Frame> frames;
  u32 depth = 0;
  usize left_out = 0;  // frames that are too narrow to be drawn, and all frames below them
};

Layout lay_out(const std::vector<stacks::CallNode>& nodes) {
  const stacks::ChildLists children(nodes);
  const double scale = (kWidth - 2 * kMargin) / static_cast<double>(std::max<u64>(nodes[0].all_period, 1));
  Layout out;
  std::vector<Frame> open{{0, 0, kMargin, kWidth - 2 * kMargin}};
  while (!open.empty()) {
    const Frame frame = open.back();
    open.pop_back();
    if (frame.node != 0) out.frames.push_back(frame);
    out.depth = std::max(out.depth, frame.depth);
    double x = frame.x;
    for (const u32 child : children[frame.node]) {
      const double width = static_cast<double>(nodes[child].all_period) * scale;
      if (width >= kLeastWidth)
        open.push_back({child, frame.depth + 1, x, width});
      else
        ++out.left_out;
      x += width;
    }
  }
  return out;
}

// As on the HTML page: a hue for each module, all with the same lightness.
std::string colour_of(u32 module) {
  static constexpr std::array<u32, 12> kHues = {212, 28, 152, 330, 258, 88, 190, 48, 288, 120, 8, 235};
  return fmt::format("hsl({},66%,80%)", kHues[module % kHues.size()]);
}

// A frame's name, tooltip and colour.
struct Label {
  std::string_view name;
  std::string title, colour;
};
using Describe = std::function<Label(u32 node)>;

void append_frame(std::string& out, const Label& label, const Frame& frame, double bottom) {
  const double y = bottom - static_cast<double>(frame.depth) * kFrame;
  out += fmt::format("<g><title>{}</title><rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>",
                     report::markup_text(label.title), frame.x, y, std::max(frame.width - 0.5, 0.3), kFrame - 1,
                     label.colour);
  const auto room = static_cast<usize>(std::max(0.0, (frame.width - 8) / kCharacter));
  if (room >= 4) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\">{}</text>", frame.x + 4, y + 13,
                       report::markup_text(text::cut_to(label.name, room)));
  }
  out += "</g>\n";
}

// A flame graph of these nodes, sized by their periods, with a title and a line of text above it.
std::string picture(const std::vector<stacks::CallNode>& nodes, std::string_view title, std::string_view line,
                    const Describe& describe) {
  const Layout layout = lay_out(nodes);
  const u32 height = kTop + (layout.depth + 1) * kFrame + kBottom;
  const double bottom = height - kBottom - kFrame;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
      "height=\"{1}\" "
      "viewBox=\"0 0 {0:.0f} {1}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
      "font-size=\"11\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g "
      "fill=\"#1b2330\">\n<text "
      "x=\"{3:.0f}\" y=\"24\" font-size=\"15\">{2}</text>\n<text x=\"{3:.0f}\" y=\"42\">{4}</text>\n",
      kWidth, height, report::markup_text(title), kMargin, report::markup_text(line));
  for (const Frame& frame : layout.frames) append_frame(out, describe(frame.node), frame, bottom);
  if (layout.left_out != 0) {
    out += fmt::format(
        "<text x=\"{:.0f}\" y=\"{}\" fill=\"#566070\">{} narrower frames and their callees are not shown</text>\n",
        kMargin, height - 10, text::with_commas(layout.left_out));
  }
  return out + "</g>\n</svg>\n";
}

// Growth is orange, shrinkage blue; larger changes are more saturated. The lightness is the same for all.
std::string colour_of_change(double before, double after) {
  const double most = std::max(before, after), change = most > 0 ? (after - before) / most : 0;
  return fmt::format("hsl({},{:.0f}%,80%)", change > 0 ? 28 : 212, 90 * std::abs(change));
}

std::string percent_of(double share) {
  return text::fixed(100 * share, 2);
}

std::string change_text(const compare::StackChanges& changes, const compare::StackChange& node) {
  const auto cost = [&](double value) { return report::cost_text(value, changes.per, changes.unit); };
  const std::string words =
      report::change_words(node.before, node.after, node.before > 0 ? node.after / node.before : 0);
  if (node.before == 0) return fmt::format("{}, {}", words, cost(node.after));
  if (node.after == 0) return fmt::format("{}, {} before", words, cost(node.before));
  return fmt::format("{} before, {} after ({})", cost(node.before), cost(node.after), words);
}

}  // namespace

std::string svg_flame_graph(const StackProfile& profile, const stacks::StackFilter& filter) {
  u32 event = 0;
  while (event + 1 < profile.events.size() && profile.events[event].samples == 0) ++event;
  const stacks::CallTree tree = stacks::make_call_tree(profile, event, filter);
  const std::vector<stacks::CallNode>& nodes = tree.nodes();
  const stacks::CallNode& root = nodes[0];
  const std::string line = fmt::format(
      "{}: {} samples, {} counted, {}", profile.events.empty() ? "" : profile.events[event].name,
      text::with_commas(root.all_samples), text::with_commas(root.all_period), text::duration(profile.elapsed_seconds));
  return picture(nodes, profile.file.empty() ? "wperf" : profile.file, line, [&](u32 number) {
    const stacks::CallNode& node = nodes[number];
    const stacks::StackFunction& function = profile.functions[node.label];
    const double share = static_cast<double>(node.all_period) / static_cast<double>(std::max<u64>(root.all_period, 1));
    return Label{.name = function.name,
                 .title = fmt::format("{} ({}): {} %, {} samples", text::cut_to(function.name, kLongestTitle),
                                      profile.modules[function.module].name, percent_of(share),
                                      text::with_commas(node.all_samples)),
                 .colour = colour_of(function.module)};
  });
}

std::string svg_difference(const compare::StackChanges& changes, const Sides& sides) {
  // The width of a frame is the mean of both sides, so that frames that disappeared are also visible.
  const compare::StackChange& root = changes.nodes.front();
  const double units = 1e12 / std::max(std::max(root.before, root.after), 1e-300);
  std::vector<stacks::CallNode> nodes;
  for (const compare::StackChange& change : changes.nodes) {
    stacks::CallNode node;
    node.parent = change.parent;
    node.all_period = static_cast<u64>((change.before + change.after) / 2 * units);
    nodes.push_back(node);
  }
  const std::string line = fmt::format("{} ({}): {}; width = mean of before and after; orange grew, blue shrank",
                                       changes.event, report::per_words(changes.per), change_text(changes, root));
  return picture(nodes, fmt::format("{} → {}", sides.before, sides.after), line, [&](u32 number) {
    const compare::StackChange& node = changes.nodes[number];
    return Label{.name = node.name,
                 .title = fmt::format("{} ({}): {}", text::cut_to(node.name, kLongestTitle), node.module,
                                      change_text(changes, node)),
                 .colour = colour_of_change(node.before, node.after)};
  });
}

}  // namespace wperf::html
