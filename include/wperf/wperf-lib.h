/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions and structures of the library of Arm's WindowsPerf, implemented by libwperf. A program written for that
   library needs no change; it is compiled again with this header and linked with wperf.lib (libwperf.so). New programs
   use wperf.h, which takes names of events and reports why a call failed. docs/user/library.md lists the differences.

   Every function returns false on any error. Called with NULL instead of a row, a function loads its list or measures.
   Each later call fills in the next row, or returns false after the last one. Texts belong to the library. They are
   valid until the same function loads or measures again, or until wperf_close(). */
#ifndef WPERF_WPERF_LIB_H
#define WPERF_WPERF_LIB_H

#if defined(WPERF_WPERF_H) && !defined(WPERF_LIB_TYPES_ONLY)
#error "wperf.h and wperf-lib.h define the same names differently: a source file can include only one of them"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define MAX_GITVER_SIZE 32
#define CORE_EVT 1u /* bits of LIST_CONF */

typedef struct _VERSION_INFO {
  unsigned int major, minor, patch;
  wchar_t gitver[MAX_GITVER_SIZE];
} VERSION_INFO, *PVERSION_INFO;

typedef struct _LIST_CONF {
  uint64_t list_event_types; /* CORE_EVT; not read, because the library has no other events */
} LIST_CONF, *PLIST_CONF;

typedef enum _EVT_TYPE { CORE_TYPE, DSU_TYPE, DMC_CLK_TYPE, DMC_CLKDIV2_TYPE } EVT_TYPE;

typedef struct _EVENT_INFO {
  EVT_TYPE type;
  uint16_t id;
  const wchar_t* name;
  const wchar_t* desc;
} EVENT_INFO, *PEVENT_INFO;

typedef struct _METRIC_INFO {
  const wchar_t* metric_name;
  uint16_t event_idx;
} METRIC_INFO, *PMETRIC_INFO;

typedef enum _EVT_NOTE_TYPE { NORMAL_EVT_NOTE, GROUP_EVT_NOTE, METRIC_EVT_NOTE } EVT_NOTE_TYPE;

typedef struct _GROUP_NOTE {
  uint16_t group_id;
} GROUP_NOTE, *PGROUP_NOTE;

typedef struct _METRIC_NOTE {
  uint16_t group_id;
  const wchar_t* name;
} METRIC_NOTE, *PMETRIC_NOTE;

typedef struct _EVENT_NOTE {
  EVT_NOTE_TYPE type;
  union note {
    GROUP_NOTE group_note;   /* for GROUP_EVT_NOTE */
    METRIC_NOTE metric_note; /* for METRIC_EVT_NOTE */
  } note;
} EVENT_NOTE, *PEVENT_NOTE;

/* Groups of events that are counted together. */
typedef struct _GROUP_EVENT_INFO {
  int num_groups;
  int* num_group_events; /* by group */
  uint16_t** events;     /* by group */
} GROUP_EVENT_INFO, *PGROUP_EVENT_INFO;

typedef struct _STAT_CONF {
  int num_cores; /* 0: all cores, or core 0 if a program is started */
  uint8_t* cores;
  int num_events;
  uint16_t* events;
  GROUP_EVENT_INFO group_events;
  int num_metrics;
  const wchar_t** metric_events; /* names of metrics */
  double duration;               /* seconds */
  bool kernel_mode;
  long period; /* milliseconds, 10 to 100; 0: 100 */
  bool timeline;
  int count_timeline;                /* how many counts; 0: until the program ends */
  double counting_interval;          /* seconds between counts */
  const wchar_t* pe_file;            /* a program to start, or NULL */
  const wchar_t* record_commandline; /* its arguments, or its whole command line, or NULL */
  uint32_t record_spawn_delay;       /* milliseconds from its start to the count */
} STAT_CONF, *PSTAT_CONF;

typedef struct _STAT_INFO {
  uint8_t core_idx;
  uint64_t counter_value;
  uint16_t event_idx; /* 0xffff: the cycle counter */
  uint64_t multiplexed_scheduled;
  uint64_t multiplexed_round;
  uint64_t scaled_value;
  EVENT_NOTE evt_note;
} STAT_INFO, *PSTAT_INFO;

typedef struct _TEST_CONF {
  int num_events;
  uint16_t* events;
  int num_metrics;
  const wchar_t** metric_events;
} TEST_CONF, *PTEST_CONF;

typedef enum _RESULT_TYPE { NUM_RESULT, BOOL_RESULT, EVT_NOTE_RESULT, WSTRING_RESULT } RESULT_TYPE;

struct _TEST_EVT_NOTE {
  uint16_t index; /* the event's number */
  EVT_NOTE_TYPE type;
};

typedef struct _TEST_INFO {
  const wchar_t* name;
  RESULT_TYPE type;
  union {
    uint64_t num_result;
    bool bool_result;
    const wchar_t* wstring_result;
    struct _TEST_EVT_NOTE evt_note_result;
  };
} TEST_INFO, *PTEST_INFO;

typedef struct _SAMPLE_CONF {
  const wchar_t* pe_file;
  const wchar_t* pdb_file;
  const wchar_t* image_name; /* the name of a running program; if it is missing, the name of pe_file */
  uint8_t core_idx;
  int num_events; /* 0: cycles */
  uint16_t* events;
  uint32_t* intervals; /* by event; NULL or 0: the default */
  bool display_short;  /* C++ names without their decoration */
  double duration;     /* seconds */
  bool kernel_mode;
  bool annotate;
  bool record; /* start pe_file */
  const wchar_t* record_commandline;
  uint32_t record_spawn_delay;
  bool export_perf_data; /* also write the file perf.data */
} SAMPLE_CONF, *PSAMPLE_CONF;

typedef struct _SAMPLE_INFO {
  uint16_t event; /* its number; 0x11: cycles */
  const wchar_t* symbol;
  uint32_t count;
  double overhead; /* percent of the event's samples */
} SAMPLE_INFO, *PSAMPLE_INFO;

typedef struct _ANNOTATE_INFO {
  uint16_t event;
  const wchar_t* symbol;
  const wchar_t* source_file;
  uint32_t line_number;
  uint64_t hits;
} ANNOTATE_INFO, *PANNOTATE_INFO;

typedef struct _SAMPLE_STATS {
  uint64_t sample_generated;
  uint64_t sample_dropped;
} SAMPLE_STATS, *PSAMPLE_STATS;

#ifndef WPERF_LIB_TYPES_ONLY

#if defined(_WIN32)
#define WPERF_LIB_API __declspec(dllimport)
#elif defined(__GNUC__)
#define WPERF_LIB_API __attribute__((visibility("default")))
#else
#define WPERF_LIB_API
#endif

/* Functions that wperf.h has under the same name with another layout are exported under separate names. */
#define wperf_list_events wperf_lib_list_events
#define wperf_list_metrics wperf_lib_list_metrics
#define wperf_stat wperf_lib_stat
#define wperf_sample wperf_lib_sample
#define wperf_sample_annotate wperf_lib_sample_annotate
#define wperf_test wperf_lib_test

#ifdef __cplusplus
extern "C" {
#endif

WPERF_LIB_API bool wperf_init(void);
WPERF_LIB_API bool wperf_close(void);
WPERF_LIB_API bool wperf_driver_version(PVERSION_INFO version);
WPERF_LIB_API bool wperf_version(PVERSION_INFO version);
WPERF_LIB_API bool wperf_list_events(PLIST_CONF conf, PEVENT_INFO info);
WPERF_LIB_API bool wperf_list_num_events(PLIST_CONF conf, int* count);
WPERF_LIB_API bool wperf_list_metrics(PLIST_CONF conf, PMETRIC_INFO info);
WPERF_LIB_API bool wperf_list_num_metrics(PLIST_CONF conf, int* count);
WPERF_LIB_API bool wperf_list_num_metrics_events(PLIST_CONF conf, int* count);
WPERF_LIB_API bool wperf_stat(PSTAT_CONF conf, PSTAT_INFO info);
WPERF_LIB_API bool wperf_sample(PSAMPLE_CONF conf, PSAMPLE_INFO info);
WPERF_LIB_API bool wperf_sample_annotate(PSAMPLE_CONF conf, PANNOTATE_INFO info);
WPERF_LIB_API bool wperf_sample_stats(PSAMPLE_CONF conf, PSAMPLE_STATS stats);
WPERF_LIB_API bool wperf_num_cores(int* count);
WPERF_LIB_API bool wperf_test(PTEST_CONF conf, PTEST_INFO info);

/* As in wperf.h: the reason why the last call of this thread failed. */
WPERF_LIB_API const char* wperf_last_error(void);

/* libwperf prints nothing. Verbose programs expect lines on stdout, so this header prints its messages. */
WPERF_LIB_API bool wperf_set_message_function(void (*function)(const char* line, void* context), void* context);
WPERF_LIB_API bool wperf_set_verbose(bool enable);
static inline void wperf_lib_print(const char* line, void* context) {
  (void)context;
  printf("%s\n", line);
}
static inline bool wperf_lib_set_verbose(bool enable) {
  return wperf_set_message_function(enable ? wperf_lib_print : NULL, NULL) && wperf_set_verbose(enable);
}
#define wperf_set_verbose wperf_lib_set_verbose

#ifdef __cplusplus
}
#endif

#endif /* WPERF_LIB_TYPES_ONLY */

#endif
