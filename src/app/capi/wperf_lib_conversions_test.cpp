// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wperf_lib_conversions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "ground/diag/names_all_test.h"
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

namespace {

lib::STAT_CONF started(const wchar_t* program, const wchar_t* line) {
  lib::STAT_CONF conf{};
  conf.pe_file = program;
  conf.record_commandline = line;
  return conf;
}

std::string command_line(const wchar_t* program, const wchar_t* line) {
  const auto request = lib_stat_request(started(program, line));
  if (!request.has_value()) return "error: " + request.error().text;
  return request.value().program.has_value() ? request.value().program->command_line : "none";
}

TEST(LibStatRequest, EverythingArrives) {
  u8 cores[] = {3, 1};
  u16 events[] = {0x1b};
  u16 group[] = {0x70, 0x8008};
  u16* groups[] = {group};
  int sizes[] = {2};
  const wchar_t* metrics[] = {L"imix", L"dcache"};
  lib::STAT_CONF conf = {2,  cores, 1, events, {1, sizes, groups}, 2,      metrics, 1.5, true,
                         13, true,  4, 0.25,   L"C:\\p.exe",       L"a b", 7};
  const auto made = lib_stat_request(conf);
  ASSERT_TRUE(made.has_value()) << made.error().text;
  const request::Request& request = made.value();
  ASSERT_EQ(request.cores.size(), 2u);
  EXPECT_EQ(request.cores[0].first, 3u);
  ASSERT_EQ(request.items.size(), 3u);
  const auto& tokens = std::get<request::EventList>(request.items[0]).tokens;
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].number, 0x1bu);
  EXPECT_FALSE(tokens[0].group.has_value());
  EXPECT_EQ(tokens[2].number, 0x8008u);
  EXPECT_EQ(tokens[2].group, 0u);
  EXPECT_EQ(std::get<request::MetricName>(request.items[2]).name, "dcache");
  EXPECT_EQ(request.duration_ms(), 1500u);
  EXPECT_TRUE(request.kernel);
  EXPECT_EQ(request.config[0].value, "13");
  EXPECT_TRUE(request.timeline.enabled);
  EXPECT_EQ(request.timeline.count, 4u);
  EXPECT_EQ(request.timeline.interval.milliseconds, 250u);
  EXPECT_TRUE(request.outputs.csv_file.has_value());
  EXPECT_EQ(request.program->command_line, "C:\\p.exe a b");
  EXPECT_EQ(request.spawn_delay_ms, 7u);
}

TEST(LibStatRequest, ZerosAreTheDefaults) {
  const auto request = lib_stat_request({});
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request.value().items.empty());
  EXPECT_FALSE(request.value().program.has_value());
}

TEST(LibStatRequest, CommandLineMayBeginWithTheProgram) {
  EXPECT_EQ(command_line(L"p.exe", nullptr), "p.exe");
  EXPECT_EQ(command_line(L"p.exe", L"1 2"), "p.exe 1 2");
  EXPECT_EQ(command_line(L"p.exe", L"p.exe 1 2"), "p.exe 1 2");
  EXPECT_EQ(command_line(L"C:\\t\\Python.exe", L"python x.py"), "C:\\t\\Python.exe x.py");
  EXPECT_EQ(command_line(L"C:\\a b\\p.exe", L"\"C:\\a b\\p.exe\"  \"1 2\""), "\"C:\\a b\\p.exe\" \"1 2\"");
  EXPECT_EQ(command_line(nullptr, L"\"a b.exe\" 1"), "\"a b.exe\" 1");
  EXPECT_EQ(command_line(nullptr, nullptr), "none");
}

TEST(LibStatRequest, RefusesWhatIsNoRequest) {
  u16 events[] = {1};
  u16* groups[] = {events};
  int none[] = {0};
  const auto refused = [](const lib::STAT_CONF& conf) { return !lib_stat_request(conf).has_value(); };
  lib::STAT_CONF conf{};
  conf.num_events = 1;
  EXPECT_TRUE(refused(conf));
  conf = {};
  conf.num_cores = -1;
  EXPECT_TRUE(refused(conf));
  conf = {};
  conf.group_events = {1, none, groups};
  EXPECT_TRUE(refused(conf));
  conf = {};
  conf.period = 101;
  EXPECT_TRUE(refused(conf));
  for (const double seconds : {-1.0, 1e12, std::numeric_limits<double>::quiet_NaN()}) {
    conf = {};
    conf.duration = seconds;
    EXPECT_TRUE(refused(conf)) << seconds;
  }
}

std::string refusal(const diag::Result<request::Request>& request) {
  return request.has_value() ? "none" : request.error().text;
}

TEST(LibRequests, ErrorsNameTheFieldsOfTheirHeader) {
  lib::STAT_CONF count{};
  count.period = 9;
  EXPECT_TRUE(diag::names_all(refusal(lib_stat_request(count)), {"period is 9", "10 to 100"}));
  count = started(nullptr, L"  ");
  EXPECT_TRUE(lib_stat_request(count).has_value());
  lib::SAMPLE_CONF sample{};
  EXPECT_TRUE(diag::names_all(refusal(lib_sample_request(sample)), {"record is false", "image_name", "pe_file"}));
  sample.record = true;
  EXPECT_TRUE(
      diag::names_all(refusal(lib_sample_request(sample)), {"record is true", "pe_file", "record_commandline"}));
}

TEST(LibTestRequest, UnsetListsAreNotRead) {
  u16 events[] = {0x1b, 0x70};
  const wchar_t* metrics[] = {L"imix"};
  const auto full = lib_test_request({.num_events = 2, .events = events, .num_metrics = 1, .metric_events = metrics});
  ASSERT_TRUE(full.has_value());
  ASSERT_EQ(full.value().items.size(), 2u);
  EXPECT_EQ(std::get<request::EventList>(full.value().items[0]).tokens.size(), 2u);
  // NOLINTBEGIN(performance-no-int-to-ptr): like values left on a stack
  auto* const nowhere = reinterpret_cast<u16*>(std::uintptr_t{0x10});
  const auto** const no_names = reinterpret_cast<const wchar_t**>(std::uintptr_t{0x18});
  const wchar_t* bad_names[] = {reinterpret_cast<const wchar_t*>(std::uintptr_t{0x20}), nullptr};
  // NOLINTEND(performance-no-int-to-ptr)
  for (const lib::TEST_CONF& conf :
       {lib::TEST_CONF{-5, events, -5, metrics}, lib::TEST_CONF{0x7ffe'0000, events, 0x7ffe'0000, metrics},
        lib::TEST_CONF{3, nowhere, 3, no_names}, lib::TEST_CONF{0, nullptr, 2, bad_names}}) {
    const auto request = lib_test_request(conf);
    ASSERT_TRUE(request.has_value()) << request.error().text;
    EXPECT_TRUE(request.value().items.empty());
  }
}

TEST(LibSampleRequest, StartsOrFindsTheProgram) {
  u16 events[] = {0x11, 0x1b};
  u32 intervals[] = {0, 1000};
  lib::SAMPLE_CONF conf = {L"C:\\t\\p.exe", L"p.pdb", nullptr, 5,    2, events, intervals, false, 2.0,
                           false,           true,     true,    L"9", 0, true};
  const auto record = lib_sample_request(conf);
  ASSERT_TRUE(record.has_value()) << record.error().text;
  EXPECT_EQ(record.value().command, request::Command::record);
  EXPECT_EQ(record.value().program->command_line, "C:\\t\\p.exe 9");
  EXPECT_EQ(record.value().cores[0].first, 5u);
  ASSERT_EQ(record.value().sampling.events.size(), 2u);
  EXPECT_FALSE(record.value().sampling.events[0].interval.has_value());
  EXPECT_EQ(record.value().sampling.events[1].interval, 1000u);
  EXPECT_TRUE(record.value().sampling.display.decorated_names);
  EXPECT_TRUE(record.value().sampling.display.annotate);
  EXPECT_TRUE(record.value().sampling.perf_data);
  EXPECT_EQ(record.value().pdb_file, "p.pdb");

  conf.record = false;
  const auto running = lib_sample_request(conf);
  ASSERT_TRUE(running.has_value()) << running.error().text;
  EXPECT_EQ(running.value().command, request::Command::sample);
  EXPECT_FALSE(running.value().program.has_value());
  EXPECT_EQ(running.value().image_name, "p.exe");
  EXPECT_EQ(running.value().pe_file, "C:\\t\\p.exe");
}

}  // namespace
}  // namespace wperf::capi
