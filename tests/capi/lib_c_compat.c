/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf-lib-c-compat [PROGRAM]: a C program written for wperf-lib.h, as its users write them, with configurations
filled by position.
   It calls every function and prints one line for each: "Test CALL", a tab, " ... PASS" or " ... FAIL". With a PROGRAM
   to start it samples too. Exit status 0 if all passed. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wperf-lib.h>

#define CYCLES 0x11
#define INST_SPEC 0x1b
#define LD_SPEC 0x70
#define ST_SPEC 0x71

static int failures;

static void test(const char* call, bool passed) {
  printf("Test %s\t ... %s\n", call, passed ? "PASS" : "FAIL");
  if (passed) return;
  ++failures;
  fprintf(stderr, "%s: %s\n", call, wperf_last_error());
}

static void test_versions(void) {
  VERSION_INFO driver = {0}, library = {0};
  int cores = 0;
  test("wperf_driver_version", wperf_driver_version(&driver) && driver.major != 0);
  test("wperf_version", wperf_version(&library) && library.major != 0 && library.gitver[0] != L'\0');
  test("wperf_num_cores", wperf_num_cores(&cores) && cores > 0);
}

static void test_lists(void) {
  LIST_CONF conf = {CORE_EVT};
  EVENT_INFO event;
  METRIC_INFO metric;
  int count = 0, rows = 0, cycles = 0, metrics = 0, names = 0;
  const wchar_t* last = L"";
  test("wperf_list_events(NULL)", wperf_list_events(&conf, NULL));
  test("wperf_list_num_events", wperf_list_num_events(&conf, &count) && count > 0);
  while (wperf_list_events(&conf, &event)) {
    rows += event.type == CORE_TYPE && event.name[0] != L'\0' && event.desc[0] != L'\0';
    cycles += event.id == CYCLES && wcscmp(event.name, L"cpu_cycles") == 0;
  }
  test("wperf_list_events", rows == count && cycles == 1);
  test("wperf_list_metrics(NULL)", wperf_list_metrics(&conf, NULL));
  test("wperf_list_num_metrics", wperf_list_num_metrics(&conf, &metrics) && metrics > 0);
  test("wperf_list_num_metrics_events", wperf_list_num_metrics_events(&conf, &count) && count >= metrics);
  for (rows = 0; wperf_list_metrics(&conf, &metric); last = metric.metric_name) {
    rows += metric.event_idx != 0;
    names += wcscmp(metric.metric_name, last) != 0;
  }
  test("wperf_list_metrics", rows == count && names == metrics);
}

/* One plain event, one group of two, one metric, on core 0 for a fifth of a second. */
static void test_stat(void) {
  uint8_t cores[] = {0};
  uint16_t events[] = {INST_SPEC};
  uint16_t group[] = {LD_SPEC, ST_SPEC};
  uint16_t* groups[] = {group};
  int sizes[] = {2};
  const wchar_t* metrics[] = {L"imix"};
  STAT_CONF conf = {1, cores, 1, events, {1, sizes, groups}, 1, metrics, 0.2, false, 100, false, 0, 0, NULL, NULL, 0};
  STAT_INFO row;
  int plain = 0, grouped = 0, of_metric = 0, cycles = 0, in_time = 0, rows = 0;
  test("wperf_stat(NULL)", wperf_stat(&conf, NULL));
  for (; wperf_stat(&conf, &row); ++rows) {
    in_time += row.multiplexed_scheduled <= row.multiplexed_round;
    if (row.evt_note.type == METRIC_EVT_NOTE) {
      of_metric +=
          wcscmp(row.evt_note.note.metric_note.name, L"imix") == 0 && row.evt_note.note.metric_note.group_id == 1;
    } else if (row.evt_note.type == GROUP_EVT_NOTE) {
      grouped += row.evt_note.note.group_note.group_id == 0 && (row.event_idx == LD_SPEC || row.event_idx == ST_SPEC);
    } else {
      cycles += row.event_idx == 0xffff;
      plain += row.event_idx == INST_SPEC;
    }
  }
  test("wperf_stat", cycles == 1 && plain == 1 && grouped == 2 && of_metric >= 5 && in_time == rows);
  conf.period = 9;
  test("wperf_stat(period of 9 ms)", !wperf_stat(&conf, NULL));
}

static void test_timeline(void) {
  uint8_t cores[] = {0};
  uint16_t events[] = {INST_SPEC};
  STAT_CONF conf = {1, cores, 1, events, {0, NULL, NULL}, 0, NULL, 0.1, false, 100, true, 3, 0.1, NULL, NULL, 0};
  STAT_INFO row;
  int counts = 0;
  test("wperf_stat(timeline)", wperf_stat(&conf, NULL));
  while (wperf_stat(&conf, &row)) counts += row.event_idx == INST_SPEC;
  test("wperf_stat(timeline rows)", counts == 3);
}

static void test_sample(const wchar_t* program) {
  uint16_t events[] = {CYCLES, INST_SPEC};
  uint32_t intervals[] = {1000000, 1000000};
  SAMPLE_CONF conf = {program, NULL, NULL, 0, 2, events, intervals, true, 1.0, false, true, true, program, 0, false};
  SAMPLE_INFO row;
  ANNOTATE_INFO line;
  SAMPLE_STATS stats = {0, 0};
  uint64_t cycles = 0, instructions = 0, hits = 0;
  double percent = 0;
  int cores = 1;
  if (wperf_num_cores(&cores)) conf.core_idx = (uint8_t)(cores - 1); /* usually the quietest core */
  test("wperf_sample(NULL)", wperf_sample(&conf, NULL));
  while (wperf_sample(&conf, &row)) {
    if (row.symbol[0] == L'\0') continue;
    if (row.event == CYCLES) cycles += row.count;
    if (row.event == CYCLES) percent += row.overhead;
    if (row.event == INST_SPEC) instructions += row.count;
  }
  test("wperf_sample", cycles > 0 && instructions > 0 && percent > 99.9 && percent < 100.1);
  test("wperf_sample_annotate(NULL)", wperf_sample_annotate(&conf, NULL));
  while (wperf_sample_annotate(&conf, &line)) hits += line.line_number != 0 && line.event == CYCLES ? line.hits : 0;
  test("wperf_sample_annotate", hits <= cycles);
  test("wperf_sample_stats",
       wperf_sample_stats(&conf, &stats) && stats.sample_generated >= cycles + instructions + stats.sample_dropped);
}

static void test_keys(void) {
  uint16_t events[] = {INST_SPEC, LD_SPEC};
  const wchar_t* metrics[] = {L"imix"};
  TEST_CONF conf = {2, events, 1, metrics};
  TEST_INFO row;
  int numbers = 0, truths = 0, texts = 0, plain = 0, of_metric = 0;
  test("wperf_test(NULL)", wperf_test(&conf, NULL));
  while (wperf_test(&conf, &row)) {
    switch (row.type) {
      case NUM_RESULT:
        numbers += wcscmp(row.name, L"config.count.period") == 0 && row.num_result == 100;
        break;
      case BOOL_RESULT:
        truths += wcscmp(row.name, L"request.ioctl_events [EVT_CORE]") == 0 && row.bool_result;
        break;
      case WSTRING_RESULT:
        texts += wcscmp(row.name, L"pmu_device.product_name") == 0 && row.wstring_result[0] != L'\0';
        break;
      case EVT_NOTE_RESULT:
        plain += row.evt_note_result.type == NORMAL_EVT_NOTE && row.evt_note_result.index == events[plain];
        of_metric += row.evt_note_result.type == METRIC_EVT_NOTE;
        break;
    }
  }
  test("wperf_test", numbers == 1 && truths == 1 && texts == 1 && plain == 2 && of_metric >= 5);
}

/* Leaves the structs uninitialised, as some programs do. */
static void test_what_is_left_uninitialised(void) {
  LIST_CONF list;
  EVENT_INFO event;
  TEST_CONF conf;
  TEST_INFO row;
  int events = 0, listed = 0, keys = 0;
  memset(&list, 0xa6, sizeof list);
  test("wperf_list_events(uninitialised)", wperf_list_events(&list, NULL) && wperf_list_num_events(&list, &events));
  while (wperf_list_events(&list, &event)) ++listed;
  test("wperf_list_events(uninitialised rows)", events > 0 && listed == events);
  memset(&conf, 0xa6, sizeof conf);
  test("wperf_test(uninitialised)", wperf_test(&conf, NULL));
  conf.num_events = conf.num_metrics = 3;
  test("wperf_test(uninitialised lists)", wperf_test(&conf, NULL));
  while (wperf_test(&conf, &row)) ++keys;
  test("wperf_test(uninitialised rows)", keys > 20);
}

int main(int count, char** words) {
  int cores;
  setlocale(LC_ALL, "");
  test("wperf_num_cores(before wperf_init)", !wperf_num_cores(&cores));
  test("wperf_init", wperf_init());
  if (failures != 0) return 1;
  test_versions();
  test_lists();
  test_stat();
  test_timeline();
  test_keys();
  test_what_is_left_uninitialised();
  if (count > 1) {
    const size_t room = strlen(words[1]) + 1;
    wchar_t* program = malloc(room * sizeof(wchar_t));
    if (program != NULL && mbstowcs(program, words[1], room) != (size_t)-1) test_sample(program);
    free(program);
  }
  test("wperf_set_verbose", wperf_set_verbose(true) && wperf_set_verbose(false));
  test("wperf_close", wperf_close());
  return failures == 0 ? 0 : 1;
}
