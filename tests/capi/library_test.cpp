// SPDX-License-Identifier: BSD-3-Clause
// libwperf.so through its header, on a simulated machine for this test.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wperf/wperf.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string device(const char* more = "") {
  return "sim:pace=free,seed=1,instance=capi-" + std::to_string(getpid()) + more;
}

std::wstring workload(const char* name) {
  const std::string path = std::string(WPERF_WORKLOADS) + "/" + name;
  return {path.begin(), path.end()};
}

bool no_error() {
  return *wperf_last_error() == '\0';
}

bool error_has(const char* words) {
  return std::strstr(wperf_last_error(), words) != nullptr;
}

class Library : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(wperf_set_device(device().c_str()));
    ASSERT_TRUE(wperf_init()) << wperf_last_error();
  }
  void TearDown() override {
    wperf_set_message_function(nullptr, nullptr);
    wperf_set_verbose(false);
    EXPECT_TRUE(wperf_close());
  }
};

// The configuration that counts a program from its start to its end.
STAT_CONF whole_program(const std::wstring& program, const uint32_t& core) {
  STAT_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.program = program.c_str();
  return conf;
}

std::map<std::wstring, uint64_t> counted(const STAT_CONF& conf) {
  std::map<std::wstring, uint64_t> values;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) values[row.event_name] = row.counter_value;
  EXPECT_TRUE(no_error());
  return values;
}

TEST(LibraryWithoutSession, EveryCallSaysWhatIsMissing) {
  int number = 0;
  const STAT_CONF conf{};
  EXPECT_FALSE(wperf_num_cores(&number));
  EXPECT_TRUE(error_has("wperf_init")) << wperf_last_error();
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("wperf_init"));
  EXPECT_TRUE(wperf_close());
  VERSION_INFO version{};
  EXPECT_TRUE(wperf_version(&version));
  EXPECT_TRUE(no_error());
}

TEST(LibraryWithoutSession, AnUnknownDeviceIsRefused) {
  ASSERT_TRUE(wperf_set_device("toaster"));
  EXPECT_FALSE(wperf_init());
  EXPECT_TRUE(error_has("toaster")) << wperf_last_error();
}

TEST(LibraryWithoutSession, TheEnvironmentNamesTheDevice) {
  ASSERT_EQ(setenv("WPERF_DEVICE", device(",cores=3").c_str(), 1), 0);
  ASSERT_TRUE(wperf_set_device(nullptr));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  int cores = 0;
  EXPECT_TRUE(wperf_num_cores(&cores));
  EXPECT_EQ(cores, 3);
  EXPECT_TRUE(wperf_close());
  unsetenv("WPERF_DEVICE");
}

TEST_F(Library, OneSessionAtATime) {
  EXPECT_FALSE(wperf_init());
  EXPECT_FALSE(wperf_set_device("sim"));
  EXPECT_TRUE(error_has("wperf_close"));
  ASSERT_TRUE(wperf_close());
  EXPECT_TRUE(wperf_init()) << wperf_last_error();
}

TEST_F(Library, AChildDoesNotCloseTheMachineOfItsParent) {
  const pid_t child = fork();
  if (child == 0) {
    int cores = 0;
    const bool has_machine = wperf_num_cores(&cores) || !error_has("no machine is open");
    _exit(has_machine || !wperf_close() ? 1 : 0);
  }
  ASSERT_GT(child, 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  STAT_CONF conf{};
  conf.events = L"inst_retired";
  conf.duration_ms = 10;
  EXPECT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
}

TEST_F(Library, NullsAreRefused) {
  EXPECT_FALSE(wperf_version(nullptr));
  EXPECT_FALSE(wperf_driver_version(nullptr));
  EXPECT_FALSE(wperf_num_cores(nullptr));
  EXPECT_FALSE(wperf_list_events(nullptr, nullptr));
  EXPECT_FALSE(wperf_stat(nullptr, nullptr));
  EXPECT_FALSE(wperf_sample(nullptr, nullptr));
  EXPECT_TRUE(error_has("conf is NULL"));
  STAT_CONF conf{};
  conf.num_cores = 1;
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("num_cores"));
  const uint32_t absent = 200;
  conf.cores = &absent;
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("cores names core 200; this machine has 0 to "));
}

TEST_F(Library, RowsWantTheirFirstCall) {
  EVENT_INFO event{};
  STAT_INFO row{};
  SAMPLE_STATS stats{};
  int count = 0;
  EXPECT_FALSE(wperf_list_events(nullptr, &event));
  EXPECT_TRUE(error_has("wperf_list_events(conf, NULL)"));
  EXPECT_FALSE(wperf_list_num_events(nullptr, &count));
  EXPECT_FALSE(wperf_stat(nullptr, &row));
  EXPECT_FALSE(wperf_sample_stats(nullptr, &stats));
}

TEST_F(Library, DriverAndLibraryAreOfOneVersion) {
  VERSION_INFO driver{};
  VERSION_INFO library{};
  ASSERT_TRUE(wperf_driver_version(&driver));
  ASSERT_TRUE(wperf_version(&library));
  EXPECT_EQ(driver.major, library.major);
  EXPECT_EQ(driver.minor, library.minor);
  EXPECT_EQ(driver.patch, library.patch);
  EXPECT_STREQ(driver.gitver, library.gitver);
}

TEST_F(Library, EventsAreListedAgainAfterANewLoad) {
  const LIST_CONF conf{.list_event_types = WPERF_LIST_CORE_EVENTS};
  std::set<std::wstring> names[2];
  for (auto& seen : names) {
    ASSERT_TRUE(wperf_list_events(&conf, nullptr));
    EVENT_INFO event{};
    while (wperf_list_events(&conf, &event)) {
      seen.insert(event.name);
      if (std::wstring(event.name) == L"inst_spec") {
        EXPECT_EQ(event.id, 0x1bu);
      }
    }
    EXPECT_TRUE(no_error());
  }
  int count = 0;
  ASSERT_TRUE(wperf_list_num_events(&conf, &count));
  EXPECT_EQ(names[0].size(), static_cast<size_t>(count));
  EXPECT_EQ(names[0], names[1]);
  EXPECT_EQ(names[0].count(L"inst_spec"), 1u);

  const LIST_CONF nothing{.list_event_types = 0};
  ASSERT_TRUE(wperf_list_events(&nothing, nullptr));
  ASSERT_TRUE(wperf_list_num_events(&nothing, &count));
  EXPECT_EQ(count, 0);
  const LIST_CONF system{.list_event_types = WPERF_LIST_SYSTEM_EVENTS};  // this machine has no system events
  ASSERT_TRUE(wperf_list_events(&system, nullptr));
  ASSERT_TRUE(wperf_list_num_events(&system, &count));
  EXPECT_EQ(count, 0);
  const LIST_CONF unknown{.list_event_types = 4};
  EXPECT_FALSE(wperf_list_events(&unknown, nullptr));
}

TEST_F(Library, MetricsOfTheCoresAreListedWithTheirEvents) {
  ASSERT_TRUE(wperf_list_metrics(nullptr, nullptr));
  std::map<std::wstring, std::vector<uint32_t>> metrics;
  METRIC_INFO row{};
  int rows = 0;
  while (wperf_list_metrics(nullptr, &row)) {
    metrics[row.metric_name].push_back(row.event_idx);
    ++rows;
  }
  int count = 0;
  ASSERT_TRUE(wperf_list_num_metrics(nullptr, &count));
  EXPECT_EQ(metrics.size(), static_cast<size_t>(count));
  ASSERT_TRUE(wperf_list_num_metrics_events(nullptr, &count));
  EXPECT_EQ(rows, count);
  EXPECT_EQ(metrics[L"imix"], (std::vector<uint32_t>{0x1b, 0x73, 0x75, 0x74, 0x70, 0x71}));
  EXPECT_EQ(metrics.count(L"l3_cache"), 0u);  // counts in the clusters
}

// The counts of exact.exe are known by construction: sim/workloads/README.md.
TEST_F(Library, CountsAProgramExactly) {
  const std::wstring program = workload("exact.exe");
  const uint32_t core = 1;
  STAT_CONF conf = whole_program(program, core);
  conf.events = L"inst_retired,ld_spec,crypto_spec";
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
    const auto values = counted(conf);
    EXPECT_EQ(values.size(), 4u);
    EXPECT_GT(values.at(L"cycle"), 0u);
    EXPECT_EQ(values.at(L"inst_retired"), 31u * 1'000'000 + 23);
    EXPECT_EQ(values.at(L"ld_spec"), 2'000'000u);
    EXPECT_EQ(values.at(L"crypto_spec"), 2'000'000u);
  }
}

TEST_F(Library, RowsSayWhereAndHow) {
  const uint32_t cores[] = {0, 2};
  STAT_CONF conf{};
  conf.cores = cores;
  conf.num_cores = 2;
  conf.events = L"{inst_spec,ld_spec},r1b";
  conf.metrics = L"imix";
  conf.duration_ms = 250;
  ASSERT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
  std::vector<std::wstring> notes;
  std::set<uint32_t> seen_cores;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) {
    seen_cores.insert(row.core_idx);
    EXPECT_EQ(row.count_idx, 0u);
    EXPECT_DOUBLE_EQ(row.elapsed_seconds, 0.25);
    EXPECT_LE(row.scheduled, row.round);
    if (row.core_idx == 0) notes.push_back(std::wstring(row.event_note) + L":" + std::to_wstring(row.event_idx));
  }
  EXPECT_EQ(seen_cores, (std::set<uint32_t>{0, 2}));
  EXPECT_EQ(notes, (std::vector<std::wstring>{L"e:-1", L"g0:27", L"g0:112", L"e:27", L"g1,imix:27", L"g1,imix:115",
                                              L"g1,imix:117", L"g1,imix:116", L"g1,imix:112", L"g1,imix:113"}));
}

TEST_F(Library, MetricsWithAFormulaHaveValues) {
  const std::wstring program = workload("exact.exe");
  const uint32_t core = 0;
  STAT_CONF conf = whole_program(program, core);
  conf.metrics = L"l1d_cache_mpki,imix";
  ASSERT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
  for (int again = 0; again < 2; ++again) {
    STAT_METRIC_INFO row{};
    ASSERT_TRUE(wperf_stat_metrics(nullptr, &row));
    EXPECT_STREQ(row.metric_name, L"l1d_cache_mpki");
    EXPECT_GE(row.value, 0);
    EXPECT_FALSE(wperf_stat_metrics(nullptr, &row));
    EXPECT_TRUE(no_error());
    EXPECT_TRUE(wperf_stat_metrics(nullptr, nullptr));
  }
}

TEST_F(Library, WrongWordsAreRefusedAndLeaveNoRows) {
  STAT_CONF conf{};
  conf.duration_ms = 100;
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("no event specified"));
  conf.events = L"inst_spec";
  ASSERT_TRUE(wperf_stat(&conf, nullptr));
  conf.events = L"no_such_event";
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  STAT_INFO row{};
  EXPECT_FALSE(wperf_stat(&conf, &row));
  EXPECT_TRUE(error_has("no rows yet"));
  conf.events = L"/dsu/l3d_cache";
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("not an event of the cores"));
  conf.events = nullptr;
  conf.metrics = L"l3_cache";
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("cores only"));
  conf.metrics = L"imix";
  conf.period_ms = 9;
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("period_ms"));
  conf.period_ms = 0;
  const uint32_t core = 4711;
  conf.cores = &core;
  conf.num_cores = 1;
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("4711"));
}

TEST_F(Library, ATimelineHasOneStretchOfRowsPerCount) {
  const std::string csv = testing::TempDir() + "wperf-capi-" + std::to_string(getpid()) + ".core.csv";
  const std::wstring name = std::wstring(csv.begin(), csv.end() - 8) + L"{class}.csv";
  const uint32_t core = 1;
  STAT_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_spec";
  conf.duration_ms = 200;
  conf.timeline = true;
  conf.interval_ms = 300;
  conf.num_counts = 3;
  conf.csv_file = name.c_str();
  std::vector<std::string> lines;
  wperf_set_message_function(
      [](const char* line, void* context) { static_cast<std::vector<std::string>*>(context)->emplace_back(line); },
      &lines);
  wperf_set_verbose(true);
  ASSERT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
  std::vector<uint64_t> counts;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) counts.push_back(row.count_idx);
  EXPECT_EQ(counts, (std::vector<uint64_t>{0, 0, 1, 1, 2, 2}));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "timeline file: '" + csv + "'");
  std::ifstream file(csv);
  std::string first;
  std::getline(file, first);
  EXPECT_EQ(first.substr(0, 15), "Multiplexing,FA");
  std::remove(csv.c_str());
}

TEST_F(Library, PrintsNothingUnlessVerbose) {
  int lines = 0;
  wperf_set_message_function([](const char*, void* context) { ++*static_cast<int*>(context); }, &lines);
  STAT_CONF conf{};
  conf.events = L"inst_spec";
  conf.duration_ms = 100;
  ASSERT_TRUE(wperf_stat(&conf, nullptr));
  EXPECT_EQ(lines, 0);
}

TEST_F(Library, ACountCanBeStopped) {
  wperf_close();
  ASSERT_TRUE(wperf_set_device(("sim:pace=real,instance=capi-" + std::to_string(getpid())).c_str()));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  STAT_CONF conf{};
  conf.events = L"inst_spec";
  conf.duration_ms = 3'600'000;  // the test does not wait for its end
  std::atomic<bool> counting = true;
  std::thread stopper([&counting] {
    while (counting) {  // the first call may come before the count begins
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      wperf_stop();
    }
  });
  EXPECT_TRUE(wperf_stat(&conf, nullptr)) << wperf_last_error();
  counting = false;
  stopper.join();
  STAT_INFO row{};
  ASSERT_TRUE(wperf_stat(&conf, &row));
  EXPECT_LT(row.elapsed_seconds, 3600);
}

TEST_F(Library, SamplesAProgramWithNamesAndLines) {
  const std::wstring program = workload("googolplex.exe");
  const uint32_t core = 1;
  SAMPLE_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"ld_spec:100000";
  conf.duration_ms = 400;
  conf.program = program.c_str();
  conf.annotate = true;
  ASSERT_TRUE(wperf_sample(&conf, nullptr)) << wperf_last_error();
  uint64_t samples = 0;
  uint64_t hottest = 0;
  std::wstring hottest_name;
  double percent = 0;
  SAMPLE_INFO row{};
  while (wperf_sample(&conf, &row)) {
    EXPECT_STREQ(row.event, L"ld_spec");
    EXPECT_EQ(row.interval, 100000u);
    if (samples == 0) {
      hottest = row.count;
      hottest_name = row.symbol;
    }
    EXPECT_LE(row.count, hottest);
    samples += row.count;
    percent += row.overhead;
  }
  EXPECT_EQ(hottest_name, L"big_school_multiply:bignum.dll");
  EXPECT_NEAR(percent, 100, 1e-6);
  SAMPLE_STATS stats{};
  ASSERT_TRUE(wperf_sample_stats(nullptr, &stats));
  EXPECT_EQ(stats.samples_generated - stats.samples_dropped, samples);

  ANNOTATE_INFO line{};
  ASSERT_TRUE(wperf_sample_annotate(nullptr, &line)) << wperf_last_error();
  EXPECT_EQ(line.symbol, hottest_name);
  EXPECT_GT(line.line_number, 0u);
  EXPECT_NE(std::wstring(line.source_file).find(L"bignum"), std::wstring::npos);

  conf.annotate = false;
  conf.symbol = L"^add_into";
  ASSERT_TRUE(wperf_sample(&conf, nullptr));
  while (wperf_sample(&conf, &row)) EXPECT_STREQ(row.symbol, L"add_into:bignum.dll");
  EXPECT_FALSE(wperf_sample_annotate(nullptr, &line));
  EXPECT_TRUE(error_has("annotate"));
}

// No other process uses this machine, so its time passes only in wperf_stat_end(). The program then runs for at least
// 100 ms of virtual time.
TEST_F(Library, CountsBetweenTwoMoments) {
  wperf_close();
  const std::string run = ",mhz=1000,run=1:" + std::string(WPERF_WORKLOADS) + "/exact.exe";
  ASSERT_TRUE(wperf_set_device(device(run.c_str()).c_str()));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  const uint32_t core = 1;
  STAT_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_retired,ld_spec";
  ASSERT_TRUE(wperf_stat_begin(&conf, 0)) << wperf_last_error();
  EXPECT_FALSE(wperf_stat(&conf, nullptr));
  EXPECT_TRUE(error_has("wperf_stat_end()")) << wperf_last_error();
  STAT_INFO row{};
  EXPECT_FALSE(wperf_stat(&conf, &row));
  EXPECT_TRUE(error_has("no rows yet"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(wperf_stat_end()) << wperf_last_error();
  const std::map<std::wstring, uint64_t> values = counted(conf);
  EXPECT_EQ(values.at(L"inst_retired"), 31'000'023u);
  EXPECT_EQ(values.at(L"ld_spec"), 2'000'000u);
  EXPECT_FALSE(wperf_stat_end());
  EXPECT_TRUE(error_has("wperf_stat_begin()"));
}

TEST_F(Library, CountsBetweenTwoMomentsOnlyWhatItCan) {
  STAT_CONF conf{};
  conf.events = L"inst_retired";
  EXPECT_FALSE(wperf_stat_begin(&conf, static_cast<uint32_t>(getpid())));
  EXPECT_TRUE(error_has("cannot follow a running process")) << wperf_last_error();
  EXPECT_FALSE(wperf_stat_begin(nullptr, 0));
  conf.duration_ms = 1;
  EXPECT_FALSE(wperf_stat_begin(&conf, 0));
  EXPECT_TRUE(error_has("duration_ms"));
  conf.duration_ms = 0;
  conf.program = L"exact.exe";
  EXPECT_FALSE(wperf_stat_begin(&conf, 0));
  EXPECT_TRUE(error_has("program"));
  conf.program = nullptr;
  ASSERT_TRUE(wperf_stat_begin(&conf, 0)) << wperf_last_error();
  EXPECT_TRUE(wperf_close());  // ends the count
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  EXPECT_FALSE(wperf_stat_end());
}

// Windows' own tracing, without a driver: a fake of ETW on top of the simulated machine.
TEST(LibraryOverTracing, CountsAndSamplesAProgram) {
  ASSERT_TRUE(wperf_set_device(("etw:fake,pace=free,seed=1,instance=capi-" + std::to_string(getpid())).c_str()));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  const std::wstring exact = workload("exact.exe");
  STAT_CONF counting{};
  counting.events = L"inst_retired";
  counting.program = exact.c_str();
  ASSERT_TRUE(wperf_stat(&counting, nullptr)) << wperf_last_error();
  uint64_t instructions = 0;
  STAT_INFO count{};
  while (wperf_stat(&counting, &count)) {
    if (std::wstring(count.event_name) == L"inst_retired") instructions += count.counter_value;
  }
  EXPECT_GE(instructions, 31'000'023u);
  EXPECT_LE(instructions, 31'500'000u);  // includes kernel work during the count
  const std::wstring program = workload("googolplex.exe");
  SAMPLE_CONF sampling{};
  sampling.events = L"timer";
  sampling.duration_ms = 300;
  sampling.program = program.c_str();
  ASSERT_TRUE(wperf_sample(&sampling, nullptr)) << wperf_last_error();
  SAMPLE_INFO row{};
  ASSERT_TRUE(wperf_sample(&sampling, &row)) << wperf_last_error();
  EXPECT_STREQ(row.symbol, L"big_school_multiply:bignum.dll");
  EXPECT_GT(row.overhead, 50);
  EXPECT_TRUE(wperf_close());
}

TEST(LibraryOverTracing, CountsAProcessBetweenTwoMoments) {
  const std::string run = ",mhz=1000,run=1:" + std::string(WPERF_WORKLOADS) + "/exact.exe";
  ASSERT_TRUE(wperf_set_device(("etw:fake,pace=free,seed=1,instance=capi-" + std::to_string(getpid()) + run).c_str()));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  constexpr uint32_t kFirstProcess = 1000;  // of the simulated machine
  STAT_CONF conf{};
  conf.events = L"inst_retired";
  EXPECT_FALSE(wperf_stat_begin(&conf, kFirstProcess + 400));
  EXPECT_TRUE(error_has("no process 1400 is running")) << wperf_last_error();
  ASSERT_TRUE(wperf_stat_begin(&conf, kFirstProcess)) << wperf_last_error();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(wperf_stat_end()) << wperf_last_error();
  const std::map<std::wstring, uint64_t> values = counted(conf);
  EXPECT_GE(values.at(L"inst_retired"), 31'000'023u);
  EXPECT_LE(values.at(L"inst_retired"), 31'500'000u);  // includes kernel work during the count
  EXPECT_TRUE(wperf_close());
}

TEST_F(Library, SamplesAProgramThatRuns) {
  wperf_close();
  const std::string run = ",run=1:" + std::string(WPERF_WORKLOADS) + "/googolplex.exe";
  ASSERT_TRUE(wperf_set_device(device(run.c_str()).c_str()));
  ASSERT_TRUE(wperf_init()) << wperf_last_error();
  const uint32_t core = 1;
  SAMPLE_CONF conf{};
  conf.image_name = L"googolplex.exe";
  conf.duration_ms = 200;
  EXPECT_FALSE(wperf_sample(&conf, nullptr));
  EXPECT_TRUE(error_has("cores is empty"));
  conf.cores = &core;
  conf.num_cores = 1;
  conf.rate_hz = 1000;
  ASSERT_TRUE(wperf_sample(&conf, nullptr)) << wperf_last_error();
  SAMPLE_INFO row{};
  ASSERT_TRUE(wperf_sample(&conf, &row));
  EXPECT_STREQ(row.event, L"cycle");
  conf.image_name = L"nobody.exe";
  EXPECT_FALSE(wperf_sample(&conf, nullptr));
  EXPECT_TRUE(error_has("nobody.exe"));
  conf.program = L"both.exe";
  EXPECT_FALSE(wperf_sample(&conf, nullptr));
  EXPECT_TRUE(error_has("either"));
}

TEST_F(Library, TestResultsHaveTypes) {
  TEST_CONF conf{};
  conf.events = L"ld_spec";
  conf.period_ms = 20;
  ASSERT_TRUE(wperf_test(&conf, nullptr)) << wperf_last_error();
  std::map<std::wstring, TEST_INFO> rows;
  TEST_INFO row{};
  while (wperf_test(&conf, &row)) rows[row.name] = row;
  EXPECT_TRUE(no_error());
  EXPECT_EQ(rows.at(L"request.ioctl_events [EVT_CORE]").type, WPERF_TEST_BOOL);
  EXPECT_TRUE(rows.at(L"request.ioctl_events [EVT_CORE]").bool_result);
  EXPECT_FALSE(rows.at(L"request.ioctl_events [EVT_DSU]").bool_result);
  EXPECT_EQ(rows.at(L"config.count.period").num_result, 20u);
  const TEST_INFO& interval = rows.at(L"pmu_device.sampling.INTERVAL_DEFAULT");
  EXPECT_EQ(interval.type, WPERF_TEST_NUMBER);
  EXPECT_EQ(interval.num_result, 0x4000000u);
  EXPECT_STREQ(interval.result, L"0x4000000");
  const TEST_INFO& index = rows.at(L"ioctl_events[EVT_CORE].index");
  EXPECT_EQ(index.type, WPERF_TEST_TEXT);  // a list, though it has one entry
  EXPECT_STREQ(index.result, L"112");
}

TEST_F(Library, ThreadsShareTheRowsOfAList) {
  const LIST_CONF conf{.list_event_types = WPERF_LIST_CORE_EVENTS};
  ASSERT_TRUE(wperf_list_events(&conf, nullptr));
  int count = 0;
  ASSERT_TRUE(wperf_list_num_events(&conf, &count));
  int seen[4] = {};
  std::vector<std::thread> threads;
  for (int& mine : seen) {
    threads.emplace_back([&conf, &mine] {
      EVENT_INFO event{};
      while (wperf_list_events(&conf, &event)) ++mine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen[0] + seen[1] + seen[2] + seen[3], count);
}

}  // namespace
