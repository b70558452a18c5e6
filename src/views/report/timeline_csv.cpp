// SPDX-License-Identifier: BSD-3-Clause
// Contract 6.2: a head of name,value lines, two lines with column titles, then one line for each count. Each cell of
// the table is followed by a comma, even the last one. The cell of a metric that was not counted is empty.
#include <fmt/format.h>

#include <iterator>

#include "ground/text/number_text.h"
#include "views/report/count_report.h"
#include "views/report/count_tables.h"
#include "views/report/escaping.h"

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

// Calls visit(unit, title, value) for each column.
template <class Visit>
void for_each_column(const answers::CountProfile& count, EventClass event_class, const Visit& visit) {
  const answers::ClassCounts& counts = class_counts(count, event_class);
  for (const answers::CountUnit& unit : counts.units) {
    for (const answers::CountRow& row : unit.rows) {
      visit(unit.number, row.name, std::to_string(row.value));
      if (counts.multiplexed) visit(unit.number, "sched_times", std::to_string(row.slots));
    }
  }
  if (event_class != EventClass::core) return;
  for (const answers::MetricRow& metric : count.metrics)
    visit(metric.core, "M@" + metric.metric, metric.counted ? text::fixed(metric.value, 3) : std::string());
}

}  // namespace

std::string timeline_csv(const answers::TimelineProfile& timeline, EventClass event_class) {
  const answers::CountProfile nothing;
  const answers::CountProfile& first = timeline.counts.empty() ? nothing : timeline.counts.front();
  std::string out;
  append_head(out, timeline, first, event_class);
  using Text = const std::string&;
  for_each_column(first, event_class, [&](u32 unit, Text, Text) {
    fmt::format_to(std::back_inserter(out), "{} {},", unit_name(event_class), unit);
  });
  out += '\n';
  for_each_column(first, event_class, [&](u32, Text title, Text) {
    append_csv_field(out, title);
    out += ',';
  });
  out += '\n';
  for (const answers::CountProfile& count : timeline.counts) {
    for_each_column(count, event_class, [&](u32, Text, Text value) { out.append(value) += ','; });
    out += '\n';
  }
  return out;
}

}  // namespace wperf::report
