// SPDX-License-Identifier: BSD-3-Clause
// wperf-lib-app: a C++ program on libwperf. Prints the versions, every event and metric, and a count of one second on
// core 0. Scripts read its lines by their first word.
#include <wperf/wperf.h>

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
  const LIST_CONF conf{.list_event_types = WPERF_LIST_CORE_EVENTS};
  int count = 0;
  if (!wperf_list_events(&conf, nullptr) || !wperf_list_num_events(&conf, &count)) return false;
  std::printf("wperf_list_num_events: %d\n", count);
  EVENT_INFO event{};
  while (wperf_list_events(&conf, &event)) {
    std::printf("wperf_list_events: type=%d, id=0x%x, name=%ls, desc=%ls\n", static_cast<int>(event.type), event.id,
                event.name, event.desc);
  }
  return *wperf_last_error() == '\0';
}

bool print_metrics() {
  int metrics = 0;
  int rows = 0;
  if (!wperf_list_metrics(nullptr, nullptr)) return false;
  if (!wperf_list_num_metrics(nullptr, &metrics) || !wperf_list_num_metrics_events(nullptr, &rows)) return false;
  std::printf("wperf_list_num_metrics: %d\n", metrics);
  std::printf("wperf_list_num_metrics_events: %d\n", rows);
  METRIC_INFO metric{};
  while (wperf_list_metrics(nullptr, &metric)) {
    std::printf("wperf_list_metrics: metric=%ls, event_idx=0x%x\n", metric.metric_name, metric.event_idx);
  }
  return *wperf_last_error() == '\0';
}

bool print_count() {
  const uint32_t core = 0;
  STAT_CONF conf{};
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_spec,{ld_spec,st_spec},vfp_spec,ase_spec,dp_spec,br_immed_spec,crypto_spec";
  conf.duration_ms = 1000;
  if (!wperf_stat(&conf, nullptr)) return false;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) {
    std::printf(
        "wperf_stat: core=%u, counter_value=%llu, event=%ls, event_idx=%d, scheduled=%llu/%llu, scaled=%llu, "
        "note=%ls\n",
        row.core_idx, static_cast<unsigned long long>(row.counter_value), row.event_name, row.event_idx,
        static_cast<unsigned long long>(row.scheduled), static_cast<unsigned long long>(row.round),
        static_cast<unsigned long long>(row.scaled_value), row.event_note);
  }
  return *wperf_last_error() == '\0';
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
