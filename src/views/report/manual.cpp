// SPDX-License-Identifier: BSD-3-Clause
// `man` (contract 8.6): the fields of an event, a metric or a group of metrics, as text and JSON.
#include <algorithm>

#include "ground/text/unicode.h"
#include "machine/pmu/core_metrics.h"
#include "views/report/tool_reports.h"

namespace wperf::report {
namespace {

constexpr usize kIndent = 4;
constexpr usize kLineLimit = 81;
constexpr usize kWidth = kLineLimit - kIndent;

std::string name_and_title(std::string_view name, std::string_view title) {
  std::string text(name);
  text += " - ";
  text += title;
  return text;
}

// "a,b" → "a, b"
std::string spaced_list(std::string_view list) {
  std::string text;
  for (const char c : list) {
    text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

std::string or_not_available(std::string_view text) {
  return std::string(text.empty() ? "n/a" : text);
}

answers::ManualPage metric_page(pmu::Product product, const pmu::Metric& metric) {
  return {{"CPU", std::string(product.name())},     {"NAME", name_and_title(metric.name, metric.title)},
          {"EVENTS", spaced_list(metric.events)},   {"DESCRIPTION", or_not_available(metric.description)},
          {"FORMULA", std::string(metric.formula)}, {"UNIT", std::string(metric.unit)}};
}

answers::ManualPage built_in_page(pmu::Product product, const pmu::BuiltInMetric& metric) {
  return {{"CPU", std::string(product.name())},   {"NAME", name_and_title(metric.name, metric.title)},
          {"EVENTS", spaced_list(metric.events)}, {"DESCRIPTION", std::string(metric.description)},
          {"FORMULA", or_not_available({})},      {"UNIT", or_not_available({})}};
}

answers::ManualPage event_page(pmu::Product product, const pmu::Event& event, std::string_view way_out) {
  return {{"CPU", std::string(product.name())},
          {"NAME", name_and_title(event.name, event.title)},
          // For events from the architecture's list, only names are shown, because products define what exactly these
          // events count.
          {"DESCRIPTION", product.has_own_events() ? or_not_available(event.description) : or_not_available(way_out)}};
}

answers::ManualPage group_page(pmu::Product product, const pmu::MetricGroup& group) {
  return {{"CPU", std::string(product.name())},
          {"NAME", name_and_title(group.name, group.title)},
          {"DESCRIPTION", or_not_available(group.description)},
          {"METRICS", spaced_list(group.metrics)}};
}

void append_line(std::string& out, std::string_view line) {
  if (!line.empty()) out.append(kIndent, ' ');
  out += line;
  out += '\n';
}

// The number of bytes of an overlong word that fit on a line, without cutting a UTF-8 character.
usize cut_of(std::string_view word) {
  usize cut = kWidth;
  while (cut > 1 && text::continues_character(word[cut])) --cut;
  return cut;
}

void append_paragraph(std::string& out, std::string_view paragraph) {
  std::string line;
  while (!paragraph.empty()) {
    const usize blank = std::min(paragraph.find(' '), paragraph.size());
    std::string_view word = paragraph.substr(0, blank);
    paragraph.remove_prefix(std::min(blank + 1, paragraph.size()));
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      append_line(out, line);
      line.clear();
    }
    while (word.size() > kWidth) {
      const usize cut = cut_of(word);
      append_line(out, word.substr(0, cut));
      word.remove_prefix(cut);
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  append_line(out, line);
}

}  // namespace

answers::ManualPage kernel_event_page(const answers::ListedWord& word) {
  std::string kind = word.kind;  // "[software]"
  std::erase_if(kind, [](char c) { return c == '[' || c == ']'; });
  return {{"NAME", name_and_title(word.name, kind + " event")}, {"DESCRIPTION", or_not_available(word.description)}};
}

std::optional<answers::ManualPage> find_manual_page(pmu::Product product, std::string_view name,
                                                    std::string_view way_out) {
  if (const auto metric = pmu::find_metric_of(product, name)) return metric_page(product, *metric);
  if (const auto* metric = pmu::find_built_in_metric(name)) return built_in_page(product, *metric);
  if (const auto event = product.find_event(name)) return event_page(product, *event, way_out);
  if (const auto group = product.find_group(name)) return group_page(product, *group);
  return std::nullopt;
}

std::string manual_text(const answers::ManualPage& page) {
  std::string out;
  for (const answers::ManualField& field : page) {
    out += field.type;
    out += '\n';
    std::string_view rest = field.text;
    while (true) {
      const usize end = rest.find('\n');
      append_paragraph(out, rest.substr(0, end));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  return out;
}

std::string manual_json(const answers::ManualPage& page) {
  Table table;
  table.columns = {{"Field_Type"}, {"Result"}};
  for (const answers::ManualField& field : page) table.rows.push_back({field.type, field.text});
  const Block block{.json_key = "Manual_Results", .heading = {}, .table = std::move(table)};
  return blocks_json({&block, 1});
}

}  // namespace wperf::report
