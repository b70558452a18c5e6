// SPDX-License-Identifier: BSD-3-Clause
// wperf-lib-app: a C++ program written for wperf-lib.h, as its users write them. Prints the versions, every event and
// metric, and a count of one second on core 0. Scripts read its lines by their first word.
#include <wperf-lib.h>

#include <clocale>
#include <cstdio>

namespace {

int fail(const char* call) {
  std::fprintf(stderr, "%s failed: %s\n", call, wperf_last_error());
  wperf_close();
  return 1;
}

bool print_versions() {
  VERSION_INFO version{};
  if (!wperf_driver_version(&version)) return false;
  std::printf("wperf_driver_version: %u.%u.%u %ls\n", version.major, version.minor, version.patch, version.gitver);
  if (!wperf_version(&version)) return false;
  std::printf("wperf_version: %u.%u.%u %ls\n", version.major, version.minor, version.patch, version.gitver);
  return true;
}

bool print_events() {
  LIST_CONF conf{CORE_EVT};
  int count = 0;
  if (!wperf_list_events(&conf, nullptr) || !wperf_list_num_events(&conf, &count)) return false;
  std::printf("wperf_list_num_events: %d\n", count);
  EVENT_INFO event{};
  while (wperf_list_events(&conf, &event)) {
    std::printf("wperf_list_events: type=%d, id=0x%x, name=%ls, desc=%ls\n", static_cast<int>(event.type), event.id,
                event.name, event.desc);
  }
  return true;
}

bool print_metrics() {
  LIST_CONF conf{CORE_EVT};
  int metrics = 0;
  int rows = 0;
  if (!wperf_list_metrics(&conf, nullptr)) return false;
  if (!wperf_list_num_metrics(&conf, &metrics) || !wperf_list_num_metrics_events(&conf, &rows)) return false;
  std::printf("wperf_list_num_metrics: %d\n", metrics);
  std::printf("wperf_list_num_metrics_events: %d\n", rows);
  METRIC_INFO metric{};
  while (wperf_list_metrics(&conf, &metric)) {
    std::printf("wperf_list_metrics: metric=%ls, event_idx=0x%x\n", metric.metric_name, metric.event_idx);
  }
  return true;
}

bool print_count() {
  uint8_t cores[] = {0};
  uint16_t events[] = {0x1b, 0x75, 0x74, 0x73, 0x78, 0x77};
  uint16_t group[] = {0x70, 0x71};
  uint16_t* groups[] = {group};
  int sizes[] = {2};
  STAT_CONF conf{};
  conf.num_cores = 1;
  conf.cores = cores;
  conf.num_events = 6;
  conf.events = events;
  conf.group_events = {1, sizes, groups};
  conf.duration = 1;
  conf.period = 100;
  if (!wperf_stat(&conf, nullptr)) return false;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) {
    std::printf(
        "wperf_stat: core_idx=%u, counter_value=%llu, event_idx=0x%x, scheduled=%llu/%llu, scaled=%llu, note=%d\n",
        static_cast<unsigned>(row.core_idx), static_cast<unsigned long long>(row.counter_value), row.event_idx,
        static_cast<unsigned long long>(row.multiplexed_scheduled),
        static_cast<unsigned long long>(row.multiplexed_round), static_cast<unsigned long long>(row.scaled_value),
        static_cast<int>(row.evt_note.type));
  }
  return true;
}

}  // namespace

int main() {
  std::setlocale(LC_ALL, "");
  if (!wperf_init()) return fail("wperf_init");
  if (!print_versions()) return fail("wperf_version");
  if (!print_events()) return fail("wperf_list_events");
  if (!print_metrics()) return fail("wperf_list_metrics");
  if (!print_count()) return fail("wperf_stat");
  return wperf_close() ? 0 : fail("wperf_close");
}
