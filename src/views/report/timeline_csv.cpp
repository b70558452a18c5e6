// SPDX-License-Identifier: BSD-3-Clause
// Contract 6.2: a head of name,value lines, two lines that title the columns, then one line per count. Each cell of the
// table is followed by a comma, also the last of its line. The cell of a metric that was not counted is empty.
#include <fmt/format.h>

#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"
#include "views/report/csv_field.h"

namespace wperf::report {
namespace {

void append_head(std::string& out, const answers::TimelineProfile& timeline, const answers::CountProfile& first,
                 EventClass event_class) {
  const auto yes_no = [](bool value) { return value ? "TRUE" : "FALSE"; };
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "Multiplexing,{}\n", yes_no(class_counts(first, event_class).multiplexed));
  if (event_class == EventClass::core) fmt::format_to(to, "Kernel mode,{}\n", yes_no(first.kernel));
  fmt::format_to(to, "Count interval,{}\nVendor,{}\nEvent class,{}\n\n", text::fixed(timeline.interval_seconds, 2),
                 first.vendor, class_name(event_class));
}

void append_unit_titles(std::string& out, const answers::CountProfile& first, EventClass event_class) {
  const answers::ClassCounts& counts = class_counts(first, event_class);
  const auto to = std::back_inserter(out);
  for (const answers::CountUnit& unit : counts.units) {
    const usize columns = unit.rows.size() * (counts.multiplexed ? 2 : 1);
    for (usize i = 0; i < columns; ++i) fmt::format_to(to, "{} {},", unit_name(event_class), unit.number);
  }
  if (event_class == EventClass::core) {
    for (const answers::MetricRow& metric : first.metrics) fmt::format_to(to, "core {},", metric.core);
  }
  out += '\n';
}

void append_event_titles(std::string& out, const answers::CountProfile& first, EventClass event_class) {
  const answers::ClassCounts& counts = class_counts(first, event_class);
  for (const answers::CountUnit& unit : counts.units) {
    for (const answers::CountRow& row : unit.rows) {
      append_csv_field(out, row.name);
      out += counts.multiplexed ? ",sched_times," : ",";
    }
  }
  if (event_class == EventClass::core) {
    for (const answers::MetricRow& metric : first.metrics) {
      append_csv_field(out, "M@" + metric.metric);
      out += ',';
    }
  }
  out += '\n';
}

void append_values(std::string& out, const answers::CountProfile& count, EventClass event_class) {
  const answers::ClassCounts& counts = class_counts(count, event_class);
  const auto to = std::back_inserter(out);
  for (const answers::CountUnit& unit : counts.units) {
    for (const answers::CountRow& row : unit.rows) {
      fmt::format_to(to, "{},", row.value);
      if (counts.multiplexed) fmt::format_to(to, "{},", row.slots);
    }
  }
  if (event_class == EventClass::core) {
    for (const answers::MetricRow& metric : count.metrics) {
      fmt::format_to(to, "{},", metric.counted ? text::fixed(metric.value, 3) : std::string());
    }
  }
  out += '\n';
}

}  // namespace

std::string timeline_csv(const answers::TimelineProfile& timeline, EventClass event_class) {
  const answers::CountProfile nothing;
  const answers::CountProfile& first = timeline.counts.empty() ? nothing : timeline.counts.front();
  std::string out;
  append_head(out, timeline, first, event_class);
  append_unit_titles(out, first, event_class);
  append_event_titles(out, first, event_class);
  for (const answers::CountProfile& count : timeline.counts) append_values(out, count, event_class);
  return out;
}

}  // namespace wperf::report
