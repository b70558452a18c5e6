// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wperf_lib_answers.h"

#include <limits>
#include <string>
#include <string_view>

namespace wperf::capi {
namespace {

constexpr std::string_view kCoreSchedule = "ioctl_events[EVT_CORE].";

// e; gN; either followed by a comma and the name of a metric.
lib::EVENT_NOTE note_of(const wchar_t* text) {
  lib::EVENT_NOTE note{};
  u16 group = 0;
  const bool grouped = *text == L'g';
  for (++text; *text >= L'0' && *text <= L'9'; ++text) group = static_cast<u16>(group * 10 + (*text - L'0'));
  if (*text == L',') {
    note.type = lib::METRIC_EVT_NOTE;
    note.note.metric_note = {.group_id = group, .name = text + 1};
  } else if (grouped) {
    note.type = lib::GROUP_EVT_NOTE;
    note.note.group_note = {.group_id = group};
  }
  return note;
}

lib::EVT_NOTE_TYPE note_type(std::string_view note) {
  if (note.find(',') != std::string_view::npos) return lib::METRIC_EVT_NOTE;
  return note.starts_with('g') ? lib::GROUP_EVT_NOTE : lib::NORMAL_EVT_NOTE;
}

lib::TEST_INFO lib_test_row(const TEST_INFO& row) {
  lib::TEST_INFO made{};
  made.name = row.name;
  switch (row.type) {
    case WPERF_TEST_BOOL:
      made.type = lib::BOOL_RESULT;
      made.bool_result = row.bool_result;
      break;
    case WPERF_TEST_NUMBER:
      made.type = lib::NUM_RESULT;
      made.num_result = row.num_result;
      break;
    case WPERF_TEST_TEXT:
      made.type = lib::WSTRING_RESULT;
      made.wstring_result = row.result;
      break;
  }
  return made;
}

}  // namespace

lib::EVENT_INFO lib_row(const EVENT_INFO& row) {
  return {.type = lib::CORE_TYPE, .id = static_cast<u16>(row.id), .name = row.name, .desc = row.desc};
}

lib::METRIC_INFO lib_row(const METRIC_INFO& row) {
  return {.metric_name = row.metric_name, .event_idx = static_cast<u16>(row.event_idx)};
}

lib::STAT_INFO lib_row(const STAT_INFO& row) {
  return {.core_idx = static_cast<u8>(row.core_idx),
          .counter_value = row.counter_value,
          .event_idx = row.event_idx == WPERF_CYCLE_COUNTER ? kLibCycleCounter : static_cast<u16>(row.event_idx),
          .multiplexed_scheduled = row.scheduled,
          .multiplexed_round = row.round,
          .scaled_value = row.scaled_value,
          .evt_note = note_of(row.event_note)};
}

lib::SAMPLE_INFO lib_row(const SampleRow& row) {
  constexpr u64 kMost = std::numeric_limits<u32>::max();
  return {.event = row.code,
          .symbol = row.symbol,
          .count = static_cast<u32>(row.count < kMost ? row.count : kMost),
          .overhead = row.overhead};
}

lib::ANNOTATE_INFO lib_row(const LineRow& row) {
  return {.event = row.code,
          .symbol = row.symbol,
          .source_file = row.source_file,
          .line_number = row.line_number,
          .hits = row.hits};
}

Rows<lib::TEST_INFO> lib_test_rows(pmu::Product product, const answers::TestReport& report) {
  Rows<lib::TEST_INFO> rows;
  Rows<TEST_INFO> all = test_rows(product, report);
  for (TEST_INFO row; all.next(row);) {
    const std::string name = utf8(row.name);
    lib::TEST_INFO made = lib_test_row(row);
    made.name = rows.texts.keep(name);
    if (made.type == lib::WSTRING_RESULT) made.wstring_result = rows.texts.keep(utf8(row.result));
    if (!name.starts_with(kCoreSchedule)) rows.add(made);
    if (name != std::string(kCoreSchedule) + "index") continue;
    made.name = rows.texts.keep("ioctl_events[EVT_CORE]");
    made.type = lib::EVT_NOTE_RESULT;
    for (const answers::ScheduledEvent& event : report.schedules[index_of(EventClass::core)]) {
      if (event.note == "p") continue;  // padding, which was not requested
      made.evt_note_result = {.index = event.code, .type = note_type(event.note)};
      rows.add(made);
    }
  }
  return rows;
}

}  // namespace wperf::capi
