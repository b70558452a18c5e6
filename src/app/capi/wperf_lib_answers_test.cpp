// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wperf_lib_answers.h"

#include <gtest/gtest.h>

#include "machine/pmu/catalogue.h"

namespace wperf::capi {
namespace {

STAT_INFO counted(int32_t event, const wchar_t* note) {
  STAT_INFO row{};
  row.core_idx = 3;
  row.event_idx = event;
  row.event_note = note;
  return row;
}

TEST(LibStatRow, NotesTellGroupsAndMetrics) {
  EXPECT_EQ(lib_row(counted(0x1b, L"e")).evt_note.type, lib::NORMAL_EVT_NOTE);
  const auto grouped = lib_row(counted(0x70, L"g12")).evt_note;
  EXPECT_EQ(grouped.type, lib::GROUP_EVT_NOTE);
  EXPECT_EQ(grouped.note.group_note.group_id, 12);
  const auto of_metric = lib_row(counted(0x70, L"g2,imix")).evt_note;
  EXPECT_EQ(of_metric.type, lib::METRIC_EVT_NOTE);
  EXPECT_EQ(of_metric.note.metric_note.group_id, 2);
  EXPECT_STREQ(of_metric.note.metric_note.name, L"imix");
  const auto alone = lib_row(counted(0x70, L"e,ipc")).evt_note;
  EXPECT_EQ(alone.type, lib::METRIC_EVT_NOTE);
  EXPECT_STREQ(alone.note.metric_note.name, L"ipc");
}

TEST(LibStatRow, CycleCounterHasANumberOfItsOwn) {
  const lib::STAT_INFO row = lib_row(counted(WPERF_CYCLE_COUNTER, L"e"));
  EXPECT_EQ(row.event_idx, kLibCycleCounter);
  EXPECT_EQ(row.core_idx, 3);
}

TEST(LibSampleRow, CountsThatDoNotFitAreTheGreatest) {
  SampleRow row{};
  row.code = 0x11;
  row.count = 1ull << 40;
  EXPECT_EQ(lib_row(row).event, 0x11);
  EXPECT_EQ(lib_row(row).count, 0xffffffffu);
}

TEST(LibTestRows, ScheduleHasARowForEachEventAndNoneForPadding) {
  answers::TestReport report;
  report.schedules[index_of(EventClass::core)] = {{0x1b, "e"}, {0x70, "g0"}, {0x71, "g0,imix"}, {0x1b, "p"}};
  Rows<lib::TEST_INFO> rows = lib_test_rows(pmu::product_at(0), report);
  std::vector<std::pair<int, int>> scheduled;
  for (lib::TEST_INFO row{}; rows.next(row);) {
    if (row.type != lib::EVT_NOTE_RESULT) continue;
    EXPECT_STREQ(row.name, L"ioctl_events[EVT_CORE]");
    scheduled.emplace_back(row.evt_note_result.index, row.evt_note_result.type);
  }
  const std::vector<std::pair<int, int>> wanted = {
      {0x1b, lib::NORMAL_EVT_NOTE}, {0x70, lib::GROUP_EVT_NOTE}, {0x71, lib::METRIC_EVT_NOTE}};
  EXPECT_EQ(scheduled, wanted);
}

}  // namespace
}  // namespace wperf::capi
