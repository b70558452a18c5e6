// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ground/text/number_text.h"
#include "views/report/spe_tables.h"
#include "views/report/table.h"
#include "views/report/topdown_report.h"

namespace wperf::report {
namespace {

using topdown::Drill;
using topdown::kNone;
using topdown::Share;

// Differences of counts can be slightly below zero, which must not be printed as "-0.00".
std::string percent(double value) {
  if (std::abs(value) < 0.005) return "0.00";
  return text::fixed(value, std::abs(value) < 1 ? 2 : 1);
}

void append_tree(std::string& out, const Drill& drill, usize width) {
  append_table_within(out, table_of(counted_nodes(drill), NodeColumns{drill}), width);
  append_line_within(out, topdown_sum(drill), width);
}

void append_groups(std::string& out, const Drill& drill, usize width) {
  if (drill.groups().empty()) return;
  out += '\n';
  append_table_within(out, topdown_group_table(drill), width);
  if (const std::string verdict = topdown_group_verdict(drill); !verdict.empty()) {
    append_line_within(out, verdict, width);
  }
}

void append_functions(std::string& out, const TopdownSamples& where, const TopdownTextOptions& options) {
  if (where.event.empty()) return;
  out += '\n';
  append_line_within(out,
                     fmt::format("Where {} happens: {} samples, one in {}", where.event,
                                 text::with_commas(where.samples), text::with_commas(where.interval)),
                     options.width);
  if (const std::string missing = missing_samples(where); !missing.empty()) {
    append_line_within(out, missing, options.width);
  }
  if (where.samples == 0) {
    append_line_within(out, "No sample was taken, so no function can be named.", options.width);
    return;
  }
  const auto rows = std::min<usize>(where.functions.size(), options.rows);
  append_table_within(out, table_of(std::span(where.functions).first(rows), TopdownFunctionColumns{where}),
                      options.width);
  if (where.functions.size() > rows) out += fmt::format("      ... and {} more\n", where.functions.size() - rows);
}

void append_table_of(std::string& out, std::string_view what, const Table& table, usize width) {
  if (table.rows.empty()) return;
  out += '\n';
  append_line_within(out, what, width);
  append_table_within(out, table, width);
}

// Appends a short form of `record --mem`.
void append_memory(std::string& out, const operations::SpeProfile& profile, const TopdownTextOptions& options) {
  const SpeOptions few{.samples = {}, .memory = true, .memory_rows = 5, .width = options.width};
  const operations::MemoryProfile& memory = *profile.memory;
  append_table_of(out, "Where data came from, by SPE:", source_table(memory), options.width);
  append_table_of(out, "Functions that waited for it:", access_symbol_table(profile, few), options.width);
  append_table_of(out, "Lines that waited for it:", access_line_table(profile, few), options.width);
  if (!memory.shared.empty()) {
    append_line_within(
        out,
        fmt::format("{} cache line{} with possible false sharing: `wperf record -e arm_spe_0// --mem` names {}.",
                    memory.shared.size(), memory.shared.size() == 1 ? "" : "s",
                    memory.shared.size() == 1 ? "it" : "them"),
        options.width);
  }
}

// `text`: the share as shown in a table.
void add_share(Columns& to, std::string_view title, u32 place, const Share& share, const std::string& text) {
  to.add({title, share.known ? "value" : "", place}, Decimals{share.value, 9}, text);
  if (!share.is_sure()) return;
  to.member("low", Decimals{share.low, 9});
  to.member("high", Decimals{share.high, 9});
}

}  // namespace

void NodeColumns::operator()(Columns& to, u32 index) const {
  const std::vector<topdown::Node>& nodes = drill.method().nodes;
  const topdown::Node& node = nodes[index];
  const Share& share = drill.shares()[index];
  to.add({"node", "name"}, node.metric.name,
         fmt::format("{:{}}{}{}", "", 2 * (node.level - 1), node.metric.name, index == drill.worst() ? "  <--" : ""));
  to.member("title", node.metric.title);
  to.member("unit", node.metric.unit);
  to.string({"of", "of", 2}, node.of);
  to.member("level", node.level);
  to.member("parent", node.parent == kNone ? std::string_view{} : nodes[node.parent].metric.name);
  add_share(to, "%", 1, share, topdown_percent(share));
  to.string({.text = "+-", .place = 1, .align = Align::right}, topdown_margin(share));
  to.number({"run", "run", 3}, share.run);
}

void topdown_metric_columns(Columns& to, const topdown::MetricShare& metric) {
  to.string({"metric", "name"}, metric.metric.name);
  to.string({"unit", "unit", 2}, metric.metric.unit);
  add_share(to, "value", 1, metric.share, metric.share.known ? text::fixed(metric.share.value, 3) : "-");
  to.number({"run", "run", 3}, metric.share.run);
}

Table topdown_group_table(const Drill& drill) {
  Table table;
  Columns columns(table);
  for (const topdown::GroupShares& group : drill.groups()) {
    for (const topdown::MetricShare& metric : group.metrics) {
      columns.add_row(metric, [&](Columns& to, const topdown::MetricShare& row) {
        to.string({"group"}, group.group);
        topdown_metric_columns(to, row);
      });
    }
  }
  return table;
}

void TopdownFunctionColumns::operator()(Columns& to, const TopdownFunction& row) const {
  const Interval share = share_interval(row.samples, where.samples, where.missing);
  const double value = text::percent_of(row.samples, where.samples);
  const auto amount = [&](std::string_view title, const std::string& text) {
    to.string({.text = title, .align = Align::right}, text);
  };
  amount("%", percent(value));
  amount("+-", percent(std::max(share.high * 100 - value, value - share.low * 100)));
  to.member("function", row.function);
  to.member("module", row.module);
  to.count({"samples", "samples"}, row.samples);
  to.string({"function"}, row.module + '!' + row.function);
  to.member("low", Decimals{share.low, 6});
  to.member("high", Decimals{share.high, 6});
  to.add({"hottest line", "line"}, row.line, row.line.empty() ? "-" : row.line);
  to.member("line_samples", row.line_samples);
  amount("% of it", row.line.empty() ? "-" : percent(text::percent_of(row.line_samples, row.samples)));
}

Interval share_interval(u64 part, u64 whole, u64 missing) {
  if (whole == 0) return {0, 1};
  if (missing != 0) {
    return {share_interval(part, whole + missing).low, share_interval(part + missing, whole + missing).high};
  }
  constexpr double kZ = 1.959963984540054;
  const double n = static_cast<double>(whole), share = static_cast<double>(part) / n, z2 = kZ * kZ;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::string missing_samples(const TopdownSamples& where) {
  if (where.missing == 0) return {};
  return fmt::format("{} more were lost or held back; their functions are unknown, and the intervals include that.",
                     text::with_commas(where.missing));
}

std::string topdown_percent(const Share& share) {
  return share.known ? percent(share.value) : "-";
}

std::string topdown_margin(const Share& share) {
  if (!share.known) return "-";
  if (!share.bounded) return "not known";
  const double half = std::max(share.value - share.low, share.high - share.value);
  return half == 0 ? "exact" : percent(half);
}

std::vector<u32> counted_nodes(const Drill& drill) {
  const auto& shares = drill.shares();
  const auto is_less = [&](u32 left, u32 right) { return shares[left].value < shares[right].value; };
  std::vector<u32> counted;
  std::vector<u32> open(drill.method().roots.rbegin(), drill.method().roots.rend());
  while (!open.empty()) {
    const u32 node = open.back();
    open.pop_back();
    if (shares[node].run == 0) continue;
    counted.push_back(node);
    // In reverse order, because the last child is taken first.
    std::vector<u32> children(drill.method().nodes[node].children.rbegin(), drill.method().nodes[node].children.rend());
    std::stable_sort(children.begin(), children.end(), is_less);
    open.insert(open.end(), children.begin(), children.end());
  }
  return counted;
}

std::string topdown_sum(const Drill& drill) {
  const topdown::Method& method = drill.method();
  if (!method.is_whole()) {
    return "This core counts stalled cycles only, which cannot tell wrong speculation from useful work, so the "
           "shares do not add up to 100.";
  }
  double sum = 0;
  for (const u32 root : method.roots) {
    if (!drill.shares()[root].known) return {};
    if (!drill.shares()[root].bounded) {
      return "Level 1 is unknown: the run was too short to schedule all events often enough.";
    }
    sum += drill.shares()[root].value;
  }
  const bool is_wrong = std::abs(sum - 100) > 1 || std::any_of(method.roots.begin(), method.roots.end(), [&](u32 root) {
                          return drill.shares()[root].value < -1 || drill.shares()[root].value > 101;
                        });
  if (is_wrong && std::abs(sum - 100) <= 1) {
    return "Some shares of level 1 are below 0 or above 100 %: they cannot all be right.";
  }
  return fmt::format("Level 1 adds up to {} %.{}", text::fixed(sum, 2),
                     is_wrong ? " That is off by more than 1 %: these shares cannot all be right." : "");
}

std::string topdown_verdict(const Drill& drill) {
  if (drill.worst() == kNone) {
    const auto& shares = drill.shares();
    const bool known = std::any_of(shares.begin(), shares.end(), [](const Share& share) { return share.known; });
    if (drill.missed_turns()) {
      return "The bottleneck is unknown: the run was too short to schedule all events. Let it run longer, or free "
             "counters.";
    }
    if (!known) return "Nothing that could be counted was running.";
    const std::vector<u32>& roots = drill.method().roots;
    const bool has_retiring = std::ranges::any_of(
        roots, [&](u32 root) { return drill.method().nodes[root].metric.name == "retiring" && shares[root].known; });
    return has_retiring ? "Nothing stands out: only retiring has 10 % or more."
                        : "Nothing stands out: no share is 10 % or more.";
  }
  const topdown::Node& node = drill.method().nodes[drill.worst()];
  return fmt::format("{}: {}", node.metric.name, topdown::meaning_of(node.metric.name));
}

std::string topdown_group_verdict(const Drill& drill) {
  const std::string_view likely = drill.likely_group();
  if (likely.empty()) {
    if (drill.lost_cycles() > 0 && drill.lost_cycles() < drill.cycles() * topdown::kWorthAWord) {
      return "This node lost less than 1 % of the cycles, so there is little to explain.";
    }
    // A kind of misses that was not counted may be the cause, and a kind without misses costs nothing.
    const auto& groups = drill.groups();
    const bool all_known = std::all_of(groups.begin(), groups.end(), [](const topdown::GroupShares& group) {
      return group.likely_cycles.has_value() && group.metrics.front().share.known;
    });
    if (!all_known) {
      const bool nothing_ran = std::none_of(groups.begin(), groups.end(), [](const topdown::GroupShares& group) {
        return std::any_of(group.metrics.begin(), group.metrics.end(),
                           [](const topdown::MetricShare& metric) { return metric.share.known; });
      });
      return nothing_ran ? "Nothing was running while these events were counted, so the cause is unknown." : "";
    }
    return "None of these misses is frequent enough to be the cause. Look for long operations, or for chains in which "
           "each operation waits for the previous one.";
  }
  return fmt::format("Most likely {}: {}", likely, topdown::meaning_of(likely));
}

std::string topdown_headline(const Topdown& kind) {
  const TopdownAnswer& answer = kind.answer;
  const u32 runs = kind.drill.runs();
  return fmt::format("top-down of {} on {}{}: {} run{}, the first took {}; {}",
                     answer.program.empty() ? "all that ran" : answer.program, answer.core,
                     answer.cores.empty() ? "" : " (cores " + answer.cores + ')', runs, runs == 1 ? "" : "s",
                     text::duration(answer.seconds), answer.took_turns ? "events took turns" : "no multiplexing");
}

std::string topdown_text(const Topdown& kind, const TopdownTextOptions& options) {
  const auto& [drill, answer] = kind;
  std::string out;
  append_line_within(out, topdown_headline(kind), options.width);
  out += '\n';
  append_tree(out, drill, options.width);
  out += '\n';
  append_line_within(out, topdown_verdict(drill), options.width);
  append_groups(out, drill, options.width);
  append_functions(out, answer.where, options);
  if (answer.memory.has_value() && answer.memory->memory.has_value()) append_memory(out, *answer.memory, options);
  if (!answer.notes.empty()) out += '\n';
  for (const std::string& note : answer.notes) append_line_within(out, "note: " + note, options.width);
  return out;
}

}  // namespace wperf::report
