// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/answers.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "machine/plan/names.h"
#include "views/report/tool_reports.h"

namespace wperf::capi {
namespace {

// Finds an event of the cores by name, as programmed for this metric.
diag::Result<u16> code_of(const request::EventToken& token, const plan::MetricDefinition& metric,
                          const plan::EventCatalog& catalog) {
  return plan::resolve_code(
      token, catalog,
      metric.solution.has_value() ? plan::NameOrder::product_first : plan::NameOrder::architecture_first);
}

// Is the value a text even if it looks like a number: a list with one entry, or a name?
bool is_text(std::string_view key) {
  constexpr std::string_view kLists[] = {"ioctl_events[", "PMU_CTL_QUERY_HW_CFG [counter_idx_map]",
                                         "PMU_CTL_QUERY_HW_CFG [device_id_str]", "pmu_device.product"};
  return std::any_of(std::begin(kLists), std::end(kLists),
                     [&](std::string_view start) { return key.starts_with(start); });
}

// Parses the whole text as a number, decimal or hexadecimal after 0x.
bool parse_number(std::string_view text, u64& number) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

TEST_INFO test_row(const std::string& key, const std::string& result, WideTexts& texts) {
  TEST_INFO row{};
  row.name = texts.keep(key);
  row.result = texts.keep(result);
  row.type = WPERF_TEST_TEXT;
  if (result == "True" || result == "False") {
    row.type = WPERF_TEST_BOOL;
    row.bool_result = result == "True";
  } else if (!is_text(key) && parse_number(result, row.num_result)) {
    row.type = WPERF_TEST_NUMBER;
  }
  return row;
}

}  // namespace

Rows<EVENT_INFO> event_rows(const plan::EventCatalog& catalog, const plan::KernelEvents* kernel, u32 types) {
  Rows<EVENT_INFO> rows;
  const bool has_catalogue = kernel == nullptr || kernel->counts_catalogue();
  const bool of_cores = (types & WPERF_LIST_CORE_EVENTS) != 0 && has_catalogue;
  for (usize i = 0; of_cores && i < catalog.product.event_count(); ++i) {
    const pmu::Event event = catalog.product.event(i);
    if (kernel != nullptr && kernel->counts_code(event.code) == false) continue;
    rows.add({.type = WPERF_CORE_EVENT,
              .id = event.code,
              .name = rows.texts.keep(event.name),
              .desc = rows.texts.keep(event.title)});
  }
  if (kernel == nullptr || (types & WPERF_LIST_SYSTEM_EVENTS) == 0) return rows;
  for (const plan::KernelEvents::Word& word : kernel->words(kernel->has_counters())) {
    std::string_view kind = word.kind;  // "[software]"
    if (kind.starts_with('[') && kind.ends_with(']')) kind = kind.substr(1, kind.size() - 2);
    rows.add({.type = WPERF_SYSTEM_EVENT, .id = 0, .name = rows.texts.keep(word.name), .desc = rows.texts.keep(kind)});
  }
  return rows;
}

diag::Result<MetricRows> metric_rows(const plan::EventCatalog& catalog) {
  MetricRows answer;
  for (const plan::MetricDefinition& metric : catalog.metrics) {
    const usize before = answer.rows.size();
    for (const request::EventToken& token : metric.events.tokens) {
      if (token.event_class != EventClass::core) continue;
      WPERF_TRY(const u16 code, code_of(token, metric, catalog));
      answer.rows.add({.metric_name = answer.rows.texts.keep(metric.name),
                       .event_idx = code,
                       .event_name = answer.rows.texts.keep(token.text)});
    }
    if (answer.rows.size() != before) ++answer.metrics;
  }
  return answer;
}

Rows<STAT_INFO> stat_rows(std::span<const answers::CountProfile> counts) {
  Rows<STAT_INFO> rows;
  for (usize i = 0; i < counts.size(); ++i) {
    for (const answers::CountUnit& core : counts[i].classes[index_of(EventClass::core)].units) {
      for (const answers::CountRow& counted : core.rows) {
        STAT_INFO row{};
        row.count_idx = i;
        row.core_idx = core.number;
        row.event_idx = counted.code.has_value() ? static_cast<int32_t>(*counted.code) : WPERF_CYCLE_COUNTER;
        row.event_name = rows.texts.keep(counted.name);
        row.event_note = rows.texts.keep(counted.note);
        row.counter_value = counted.value;
        // In milliseconds if a kernel multiplexes. A time below one millisecond must not become 0, because 0 means
        // never.
        row.scheduled = counted.counted() && counts[i].by_kernel ? std::max<u64>(counted.slots, 1) : counted.slots;
        row.round = std::max(counted.rounds, row.scheduled);
        row.scaled_value = counted.scaled;
        row.elapsed_seconds = counts[i].elapsed_seconds;
        rows.add(row);
      }
    }
  }
  return rows;
}

Rows<STAT_METRIC_INFO> stat_metric_rows(std::span<const answers::CountProfile> counts) {
  Rows<STAT_METRIC_INFO> rows;
  for (usize i = 0; i < counts.size(); ++i) {
    for (const answers::MetricRow& metric : counts[i].metrics) {
      rows.add({.count_idx = i,
                .core_idx = metric.core,
                .metric_name = rows.texts.keep(metric.metric),
                .value = metric.counted ? metric.value : std::numeric_limits<double>::quiet_NaN(),
                .unit = rows.texts.keep(metric.unit)});
    }
  }
  return rows;
}

Rows<SampleRow> sample_rows(const compat::CompatView& view, const SampleSelection& selection) {
  Rows<SampleRow> rows;
  for (const compat::SampledEvent& event : view.events) {
    for (const compat::SymbolRow* function :
         compat::choose_rows(view, event, selection.most_functions, selection.symbol)) {
      SampleRow row{};
      row.code = event.code;
      row.event = rows.texts.keep(event.name);
      row.interval = event.interval;
      row.symbol = rows.texts.keep(compat::display_name(view, function->symbol));
      row.count = function->count;
      row.overhead = 100.0 * static_cast<double>(function->count) / static_cast<double>(event.samples);
      rows.add(row);
    }
  }
  return rows;
}

Rows<LineRow> annotate_rows(const compat::CompatView& view, const SampleSelection& selection) {
  Rows<LineRow> rows;
  for (const compat::SampledEvent& event : view.events) {
    for (const compat::SymbolRow* function :
         compat::choose_rows(view, event, selection.most_functions, selection.symbol)) {
      for (const compat::LineRow& line : function->lines) {
        LineRow row{};
        row.code = event.code;
        row.event = rows.texts.keep(event.name);
        row.symbol = rows.texts.keep(compat::display_name(view, function->symbol));
        row.source_file = rows.texts.keep(view.files[line.file].path);
        row.line_number = line.line;
        row.hits = line.hits;
        rows.add(row);
      }
    }
  }
  return rows;
}

Rows<TEST_INFO> test_rows(pmu::Product product, const answers::TestReport& report) {
  Rows<TEST_INFO> rows;
  for (const report::Block& block : report::test_report(product, report)) {
    for (const std::vector<std::string>& cells : block.table.rows) {
      rows.add(test_row(cells[0], cells[1], rows.texts));
    }
  }
  return rows;
}

}  // namespace wperf::capi
