/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf-every-call [PROGRAM]: a C program that calls every function of wperf.h and prints one line for each:
   "Test CALL", a tab, " ... PASS" or " ... FAIL". With a PROGRAM to start it samples too. Exit status 0 if all passed.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wperf/wperf.h>

static int failures;

static bool test(const char* call, bool passed) {
  printf("Test %s\t ... %s\n", call, passed ? "PASS" : "FAIL");
  if (!passed) {
    ++failures;
    if (*wperf_last_error() != '\0') fprintf(stderr, "%s: %s\n", call, wperf_last_error());
  }
  return passed;
}

/* The last call returned false because there are no more rows. */
static bool at_end(void) {
  return *wperf_last_error() == '\0';
}

static void no_message(const char* line, void* context) {
  (void)line;
  (void)context;
}

static void test_versions(void) {
  VERSION_INFO driver, library;
  test("wperf_driver_version", wperf_driver_version(&driver) && driver.major != 0);
  test("wperf_version", wperf_version(&library) && library.major != 0 && library.gitver[0] != L'\0');
}

static void test_cores(void) {
  int cores = 0;
  test("wperf_num_cores", wperf_num_cores(&cores) && cores > 0);
}

static void test_events(void) {
  LIST_CONF conf = {WPERF_LIST_CORE_EVENTS};
  EVENT_INFO event;
  int count = 0, rows = 0;
  test("wperf_list_events(NULL)", wperf_list_events(&conf, NULL));
  test("wperf_list_num_events", wperf_list_num_events(&conf, &count) && count > 0);
  while (wperf_list_events(&conf, &event)) rows += event.name[0] != L'\0';
  test("wperf_list_events", at_end() && rows == count);
}

static void test_metrics(void) {
  LIST_CONF conf = {WPERF_LIST_CORE_EVENTS};
  METRIC_INFO metric;
  int metrics = 0, count = 0, rows = 0, names = 0;
  const wchar_t* last = L"";
  test("wperf_list_metrics(NULL)", wperf_list_metrics(&conf, NULL));
  test("wperf_list_num_metrics", wperf_list_num_metrics(&conf, &metrics) && metrics > 0);
  test("wperf_list_num_metrics_events", wperf_list_num_metrics_events(&conf, &count) && count >= metrics);
  while (wperf_list_metrics(&conf, &metric)) {
    ++rows;
    names += wcscmp(metric.metric_name, last) != 0;
    last = metric.metric_name;
  }
  test("wperf_list_metrics", at_end() && rows == count && names == metrics);
}

static void test_stat(void) {
  uint32_t core = 0;
  STAT_CONF conf = {0};
  STAT_INFO row;
  STAT_METRIC_INFO metric;
  int rows = 0, cycles = 0;
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_spec,{ld_spec,st_spec}";
  conf.duration_ms = 200;
  test("wperf_stat(NULL)", wperf_stat(&conf, NULL));
  while (wperf_stat(&conf, &row)) {
    ++rows;
    cycles += row.event_idx == WPERF_CYCLE_COUNTER;
  }
  test("wperf_stat", at_end() && rows == 4 && cycles == 1);
  test("wperf_stat_metrics(NULL)", wperf_stat_metrics(&conf, NULL));
  test("wperf_stat_metrics", !wperf_stat_metrics(&conf, &metric) && at_end());
  conf.events = L"no_such_event";
  test("wperf_stat(unknown event)", !wperf_stat(&conf, NULL) && !at_end());
}

static void test_section(void) {
  uint32_t core = 0;
  STAT_CONF conf = {0};
  STAT_INFO row;
  int rows = 0;
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_spec";
  test("wperf_stat_end(before its begin)", !wperf_stat_end() && !at_end());
  test("wperf_stat_begin", wperf_stat_begin(&conf, 0));
  test("wperf_stat_begin(again)", !wperf_stat_begin(&conf, 0) && !at_end());
  test("wperf_stat_end", wperf_stat_end());
  while (wperf_stat(&conf, &row)) ++rows;
  test("wperf_stat(section rows)", at_end() && rows == 2);
}

static void test_timeline(void) {
  uint32_t core = 0;
  STAT_CONF conf = {0};
  STAT_INFO row;
  uint64_t last = 0;
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"inst_spec";
  conf.duration_ms = 100;
  conf.timeline = true;
  conf.interval_ms = 100;
  conf.num_counts = 3;
  test("wperf_stat(timeline)", wperf_stat(&conf, NULL));
  while (wperf_stat(&conf, &row)) last = row.count_idx;
  test("wperf_stat(timeline rows)", at_end() && last == 2);
}

static void test_sample(const wchar_t* program) {
  uint32_t core = 0;
  int cores = 1;
  SAMPLE_CONF conf = {0};
  SAMPLE_INFO row;
  ANNOTATE_INFO line;
  SAMPLE_STATS stats;
  uint64_t samples = 0;
  if (wperf_num_cores(&cores)) core = (uint32_t)cores - 1; /* usually the least busy one */
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"cpu_cycles:1000000"; /* every machine can sample them */
  conf.duration_ms = 1000;
  conf.program = program;
  conf.annotate = true;
  test("wperf_sample(NULL)", wperf_sample(&conf, NULL));
  while (wperf_sample(&conf, &row)) samples += row.count;
  test("wperf_sample", at_end() && samples > 0);
  test("wperf_sample_annotate(NULL)", wperf_sample_annotate(&conf, NULL));
  while (wperf_sample_annotate(&conf, &line)) samples += line.hits;
  test("wperf_sample_annotate", at_end());
  test("wperf_sample_stats", wperf_sample_stats(&conf, &stats) && stats.samples_generated > 0);
}

static void test_keys(void) {
  TEST_CONF conf = {0};
  TEST_INFO row;
  bool found = false;
  conf.period_ms = 13;
  test("wperf_test(NULL)", wperf_test(&conf, NULL));
  while (wperf_test(&conf, &row)) {
    if (wcscmp(row.name, L"config.count.period") == 0) {
      found = row.type == WPERF_TEST_NUMBER && row.num_result == 13 && wcscmp(row.result, L"13") == 0;
    }
  }
  test("wperf_test", at_end() && found);
}

int main(int count, char** words) {
  int cores;
  setlocale(LC_ALL, "");
  test("wperf_num_cores(before wperf_init)", !wperf_num_cores(&cores) && *wperf_last_error() != '\0');
  test("wperf_set_message_function", wperf_set_message_function(no_message, NULL));
  test("wperf_set_verbose", wperf_set_verbose(true));
  test("wperf_set_device", wperf_set_device(NULL));
  if (!test("wperf_init", wperf_init())) return 1;
  test_versions();
  test_cores();
  test_events();
  test_metrics();
  test_stat();
  test_section();
  test_timeline();
  test_keys();
  if (count > 1) {
    const size_t room = strlen(words[1]) + 1;
    wchar_t* program = malloc(room * sizeof(wchar_t));
    if (program != NULL && mbstowcs(program, words[1], room) != (size_t)-1) test_sample(program);
    free(program);
  }
  wperf_stop();
  test("wperf_close", wperf_close());
  return failures == 0 ? 0 : 1;
}
