// SPDX-License-Identifier: BSD-3-Clause
// Counts in Prometheus' text format 0.0.4, for a file that node_exporter serves (its textfile collector). The counts
// are gauges, because each run starts from 0. Events that were not counted have no value instead of 0.
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "views/report/count_report.h"

namespace wperf::report {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// Returns the text in quotes. Program names can have any bytes, so special characters are written as numbers.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      out.append(1, '\\').append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<u8>(c) < ' ' || static_cast<u8>(c) > '~') {
      fmt::format_to(std::back_inserter(out), "\\\\x{:02x}", static_cast<u8>(c));
    } else {
      out += c;
    }
  }
  return out;
}

class PrometheusText {
 public:
  explicit PrometheusText(Labels common) : common_(std::move(common)) {}

  // Begins a name. All values of a name must be consecutive and follow its help text.
  void begin(std::string_view name, std::string_view help, std::string_view type = "gauge") {
    name_ = name;
    help_ = help;
    type_ = type;
  }
  template <class Number>
  void value(const Labels& labels, Number number) {
    value_of(label_text(labels), number);
  }
  template <class Number>
  void value_of(std::string_view labels, Number number) {
    if (!help_.empty()) {
      fmt::format_to(std::back_inserter(out_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help_, type_);
    }
    help_ = {};
    fmt::format_to(std::back_inserter(out_), "{}{{{}}} {}\n", name_, labels, number);
  }
  std::string label_text(const Labels& labels) const {
    std::string out;
    for (const Labels* const some : std::initializer_list<const Labels*>{&common_, &labels}) {
      for (const auto& [label, text] : *some) {
        fmt::format_to(std::back_inserter(out), "{}{}=\"{}\"", out.empty() ? "" : ",", label, escaped(text));
      }
    }
    return out;
  }
  std::string take() { return std::move(out_); }

 private:
  Labels common_;
  std::string out_;
  std::string_view name_, help_, type_;
};

// Calls visit(labels, row) for each count of a core, cluster or channel.
template <class Visit>
void for_each_count(const answers::CountProfile& profile, Visit visit) {
  for (const EventClass event_class : kEventClasses) {
    const bool is_core = event_class == EventClass::core;
    for (const answers::CountUnit& unit : profile.classes[index_of(event_class)].units) {
      std::map<std::string_view, u32> seen;
      for (usize i = 0; i < unit.rows.size(); ++i) {
        const answers::CountRow& row = unit.rows[i];
        if (is_core && i == 0 && unit.cycle_row == answers::CycleRow::uncounted) continue;
        Labels labels = {{"class", class_name(event_class)},
                         {"unit", is_core && profile.process.has_value() ? "program" : std::to_string(unit.number)},
                         {"event", row.name}};
        // An event that was requested twice was counted twice.
        if (const u32 before = seen[row.name]++; before != 0) labels.emplace_back("again", std::to_string(before));
        visit(labels, row);
      }
    }
  }
}

void append_counts(const answers::CountProfile& profile, PrometheusText& out) {
  out.begin("wperf_event_value", "Count of an event, scaled if the event was multiplexed.");
  for_each_count(profile, [&](const Labels& labels, const answers::CountRow& row) {
    if (row.counted()) out.value(labels, row.scaled);
  });
  out.begin("wperf_event_measured_ratio", "Fraction of the time the event was on a counter; 0: it was never counted.");
  for_each_count(profile, [&](const Labels& labels, const answers::CountRow& row) { out.value(labels, row.fraction); });
  for (const bool is_low : {true, false}) {
    out.begin(is_low ? "wperf_event_value_low" : "wperf_event_value_high",
              is_low ? "Lower end of the 95 % interval of a scaled value."
                     : "Upper end of the 95 % interval of a scaled value.");
    for_each_count(profile, [&](const Labels& labels, const answers::CountRow& row) {
      if (row.has_interval) out.value(labels, is_low ? row.low : row.high);
    });
  }
}

void append_metrics(const answers::CountProfile& profile, PrometheusText& out) {
  out.begin("wperf_metric_value", "A metric of Arm's telemetry specification, in its own unit.");
  for (const answers::MetricRow& row : profile.metrics) {
    if (!row.counted || !std::isfinite(row.value)) continue;
    out.value(
        {{"core", std::to_string(row.core)}, {"product", row.product}, {"metric", row.metric}, {"unit", row.unit}},
        row.value);
  }
}

Labels common_labels(const answers::CountProfile& profile) {
  if (profile.program.empty()) return {};
  return {{"program", profile.program}};
}

}  // namespace

void CountSums::add(const answers::CountProfile& profile) {
  const PrometheusText words(common_labels(profile));
  for_each_count(profile, [&](const Labels& labels, const answers::CountRow& row) {
    if (row.counted()) values_[words.label_text(labels)] += static_cast<double>(row.scaled);
  });
  seconds_ += profile.elapsed_seconds;
  ++counts_;
}

std::string CountSums::text() const {
  PrometheusText out({});
  out.begin("wperf_event_total", "Count of an event since wperf started.", "counter");
  for (const auto& [labels, value] : values_) out.value_of(labels, value);
  out.begin("wperf_counted_seconds_total", "Total duration of the counts since wperf started.", "counter");
  out.value({}, seconds_);
  out.begin("wperf_counts_total", "Number of counts.", "counter");
  out.value({}, counts_);
  return out.take();
}

std::string count_prometheus(const answers::CountProfile& profile) {
  PrometheusText out(common_labels(profile));
  append_counts(profile, out);
  append_metrics(profile, out);
  out.begin("wperf_elapsed_seconds", "Duration of the count.");
  out.value({}, profile.elapsed_seconds);
  out.begin("wperf_program_cpu_seconds", "Processor time used by the program.");
  if (profile.user_seconds.has_value()) out.value({{"mode", "user"}}, *profile.user_seconds);
  if (profile.system_seconds.has_value()) out.value({{"mode", "system"}}, *profile.system_seconds);
  return out.take();
}

}  // namespace wperf::report
