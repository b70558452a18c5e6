/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf as a library: counting, timelines, sampling and the lists, for programs in C and C++. Explained in
   docs/user/library.md.

   Every function except wperf_last_error() and wperf_stop() returns true if it succeeded. If it returned false,
   wperf_last_error() returns the reason; at the end of the rows that text is empty.

   All functions with rows work in the same way. Called with NULL instead of a row, they do the work: they load a list
   or run a measurement. Each later call fills in the next row. If it returns false and wperf_last_error() is empty,
   there are no more rows.

   Texts are wide strings: UTF-16 on Windows, UTF-32 elsewhere. Returned texts belong to the library. They are valid
   until the same function does its work again, or until wperf_close().

   A configuration full of zeros requests all defaults. The library copies the configuration, so nothing in it needs to
   outlive the call.

   Threads: there is one session per process, and any thread may use it. Calls wait for each other, except
   wperf_version(), wperf_last_error() and wperf_stop(). wperf_stop() may also be called from a signal handler. The text
   of wperf_last_error() belongs to the calling thread. Each row is returned once: threads that read the same list share
   its rows. */
#ifndef WPERF_WPERF_H
#define WPERF_WPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#if defined(_WIN32)
#if defined(WPERF_BUILDING_LIBRARY)
#define WPERF_API __declspec(dllexport)
#else
#define WPERF_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define WPERF_API __attribute__((visibility("default")))
#else
#define WPERF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the session ---------------------------------------------------------------------------------------------- */

/* Selects the machine that wperf_init() opens, with the names of --device: "driver", "sim", "sim:cpu=neoverse-v1".
   NULL: the value of WPERF_DEVICE in the environment, or the default device. The name is UTF-8. The call fails while a
   session is open. */
WPERF_API bool wperf_set_device(const char* device);

/* Opens the machine and takes the driver's lock, which one process can hold at a time. */
WPERF_API bool wperf_init(void);
/* Releases the lock and frees everything. Without a session it does nothing. */
WPERF_API bool wperf_close(void);

/* The reason why the last call of this thread returned false: a sentence in UTF-8; empty after true. Never NULL. */
WPERF_API const char* wperf_last_error(void);

/* Receives a line in UTF-8 without its line end. It is called by the thread that measures, during that thread's call of
   a function of this library. It must not call any of these functions except wperf_stop(). */
typedef void (*WPERF_MESSAGE)(const char* line, void* context);
/* The library prints nothing. Warnings, and with wperf_set_verbose(true) the messages of `wperf -v`, go to this
   function; NULL: they are dropped. */
WPERF_API bool wperf_set_message_function(WPERF_MESSAGE function, void* context);
WPERF_API bool wperf_set_verbose(bool enable);

/* Ends the running measurement, as Ctrl-C does for the tool: the counts so far are its answer. Without a measurement it
   does nothing. */
WPERF_API void wperf_stop(void);

typedef struct VERSION_INFO {
  uint32_t major, minor, patch;
  wchar_t gitver[32]; /* hexadecimal, ends in 0 */
} VERSION_INFO;
/* The driver's version; needs a session. */
WPERF_API bool wperf_driver_version(VERSION_INFO* version);
/* The library's version; needs no session. */
WPERF_API bool wperf_version(VERSION_INFO* version);

WPERF_API bool wperf_num_cores(int* count);

/* ---- what can be counted -------------------------------------------------------------------------------------- */

#define WPERF_LIST_CORE_EVENTS 1u
#define WPERF_LIST_SYSTEM_EVENTS 2u

typedef struct LIST_CONF {
  uint32_t list_event_types; /* any of the above; 0: no events. The library has no other type. */
} LIST_CONF;

/* WPERF_SYSTEM_EVENT: an event that the operating system names, as Linux does with page-faults. */
typedef enum EVENT_TYPE { WPERF_CORE_EVENT = 0, WPERF_SYSTEM_EVENT = 1 } EVENT_TYPE;

typedef struct EVENT_INFO {
  EVENT_TYPE type;
  uint32_t id; /* the number that events of the cores are programmed with; 0 for events of the system */
  const wchar_t* name;
  const wchar_t* desc; /* a few words */
} EVENT_INFO;
WPERF_API bool wperf_list_events(const LIST_CONF* conf, EVENT_INFO* info);
/* The number of rows in the loaded list. */
WPERF_API bool wperf_list_num_events(const LIST_CONF* conf, int* count);

/* One event of one metric. A metric has one row for each of its core events, one after the other. */
typedef struct METRIC_INFO {
  const wchar_t* metric_name;
  uint32_t event_idx;
  const wchar_t* event_name;
} METRIC_INFO;
/* The metrics that count on the cores. `conf` may be NULL here and in the next two functions. */
WPERF_API bool wperf_list_metrics(const LIST_CONF* conf, METRIC_INFO* info);
WPERF_API bool wperf_list_num_metrics(const LIST_CONF* conf, int* count);
/* The number of rows. */
WPERF_API bool wperf_list_num_metrics_events(const LIST_CONF* conf, int* count);

/* ---- counting ------------------------------------------------------------------------------------------------- */

typedef struct STAT_CONF {
  const uint32_t* cores; /* NULL: all cores, or core 0 if a program is started */
  size_t num_cores;
  const wchar_t* events;    /* as `wperf stat -e` takes them: L"inst_spec,{ld_spec,st_spec}"; or NULL */
  const wchar_t* metrics;   /* as `wperf stat -m` takes them: L"imix,dcache"; or NULL */
  uint64_t duration_ms;     /* 0: until the program ends or wperf_stop(), or one second for a timeline */
  uint32_t period_ms;       /* the time slice of multiplexed events, 10 to 100; 0: 100 */
  bool kernel;              /* count in the kernel too */
  const wchar_t* program;   /* a program to start on the core, suspended until counting begins; or NULL */
  const wchar_t* arguments; /* the program's arguments, with quotes where needed; or NULL */
  uint32_t spawn_delay_ms;  /* how long the program runs before counting begins */
  bool timeline;            /* count repeatedly; the next three members apply to this */
  uint64_t interval_ms;     /* pause after each count */
  uint64_t num_counts;      /* 0: until the program ends or wperf_stop() */
  const wchar_t* csv_file;  /* also write this file; {timestamp}, {class} and {core} are replaced; or NULL */
} STAT_CONF;

#define WPERF_CYCLE_COUNTER (-1)

/* One event on one core in one count. */
typedef struct STAT_INFO {
  uint64_t count_idx; /* which count of a timeline, from 0 */
  uint32_t core_idx;
  int32_t event_idx; /* the event's number, or WPERF_CYCLE_COUNTER */
  const wchar_t* event_name;
  const wchar_t* event_note; /* e: a single event; gN: of group N; then a comma and the metric it belongs to */
  uint64_t counter_value;    /* as counted */
  uint64_t scheduled;        /* number of rounds in which it was counted; if 0, its count is meaningless */
  uint64_t round;            /* number of all rounds. On Linux and with Windows' tracing, both are milliseconds */
  uint64_t scaled_value;     /* the estimate for counting all the time */
  double elapsed_seconds;    /* length of this count */
} STAT_INFO;
/* With NULL: counts, and returns when counting has ended. If the program crashed, the call returns false, and the rows
   have the counts until then. Rows are in the order of counts, cores and events. */
WPERF_API bool wperf_stat(const STAT_CONF* conf, STAT_INFO* info);

/* Counts from one moment to another: wperf_stat_begin() returns while counting goes on, wperf_stat_end() ends it, and
   wperf_stat() then returns the rows.
   process: the number of a running process, which may be the calling one; only Linux and Windows' tracing can count a
   running process. 0: the cores of `conf`. Only events, metrics, period_ms, cores and kernel of `conf` may be set.
   Until the end, nothing else can be measured. If no other process uses a simulated machine, its time passes only
   during calls: it runs at the end, for as long as the time between the two calls. */
WPERF_API bool wperf_stat_begin(const STAT_CONF* conf, uint32_t process);
WPERF_API bool wperf_stat_end(void);

/* One metric on one core in one count. Metrics that have no formula (imix, dcache …) have no rows. */
typedef struct STAT_METRIC_INFO {
  uint64_t count_idx;
  uint32_t core_idx;
  const wchar_t* metric_name;
  double value; /* NAN: one of its events was never on a counter */
  const wchar_t* unit;
} STAT_METRIC_INFO;
/* Rows of the last wperf_stat(). With NULL: starts again at the first row. `conf` may be NULL. */
WPERF_API bool wperf_stat_metrics(const STAT_CONF* conf, STAT_METRIC_INFO* info);

/* ---- sampling ------------------------------------------------------------------------------------------------- */

typedef struct SAMPLE_CONF {
  const uint32_t* cores; /* the cores to sample; a program starts on the first. Required for a running program */
  size_t num_cores;
  const wchar_t* events;  /* as `wperf record -e` takes them: L"ld_spec:100000"; NULL: cycles */
  uint32_t rate_hz;       /* samples per second and core of events without an interval, 1 to 50000; 0: no such rate */
  uint64_t duration_ms;   /* 0: until the program ends or wperf_stop() */
  bool kernel;            /* sample in the kernel too */
  const wchar_t* program; /* a program to start; NULL if image_name is set */
  const wchar_t* image_name;  /* the name of a running program */
  const wchar_t* arguments;   /* the program's arguments, with quotes where needed; or NULL */
  uint32_t spawn_delay_ms;    /* how long the program runs before sampling begins */
  const wchar_t* pdb_file;    /* symbols of the program; NULL: found as docs/user/symbols.md says */
  const wchar_t* symbol_path; /* more places to search for symbols; or NULL */
  const wchar_t* symbol;      /* only these functions: L"^start", L"end$", L"name"; or NULL */
  uint32_t display_row;       /* how many of the hottest functions are returned per event; 0: all */
  bool decorated_names;       /* C++ names as the compiler wrote them */
  bool annotate;              /* find the source lines too */
} SAMPLE_CONF;

/* One function and one event. */
typedef struct SAMPLE_INFO {
  const wchar_t* event;
  uint32_t interval;     /* events from one sample to the next */
  const wchar_t* symbol; /* as `wperf record` shows it: main, or memcpy:ucrtbase.dll */
  uint64_t count;        /* samples */
  double overhead;       /* percent of the event's samples */
} SAMPLE_INFO;
/* With NULL: samples, and returns when names are found. If the program crashed, the call returns false, and the rows
   have the samples until then. Rows are in the order of events, hottest function first. */
WPERF_API bool wperf_sample(const SAMPLE_CONF* conf, SAMPLE_INFO* info);

/* One source line of one function and one event. */
typedef struct ANNOTATE_INFO {
  const wchar_t* event;
  const wchar_t* symbol;
  const wchar_t* source_file;
  uint32_t line_number;
  uint64_t hits; /* samples */
} ANNOTATE_INFO;
/* Rows of the last wperf_sample() with `annotate`. With NULL: starts again at the first row. `conf` may be NULL. */
WPERF_API bool wperf_sample_annotate(const SAMPLE_CONF* conf, ANNOTATE_INFO* info);

typedef struct SAMPLE_STATS {
  uint64_t samples_generated; /* includes the dropped samples */
  uint64_t samples_dropped;
} SAMPLE_STATS;
/* Statistics of the last wperf_sample(). `conf` may be NULL. */
WPERF_API bool wperf_sample_stats(const SAMPLE_CONF* conf, SAMPLE_STATS* stats);

/* ---- how the machine is set up -------------------------------------------------------------------------------- */

typedef struct TEST_CONF {
  const wchar_t* events;  /* the events whose schedule to show, as in STAT_CONF; or NULL */
  const wchar_t* metrics; /* or NULL */
  uint32_t period_ms;     /* 0: the default */
} TEST_CONF;

typedef enum TEST_RESULT_TYPE { WPERF_TEST_BOOL = 0, WPERF_TEST_NUMBER = 1, WPERF_TEST_TEXT = 2 } TEST_RESULT_TYPE;

/* One line of `wperf test`. */
typedef struct TEST_INFO {
  const wchar_t* name;
  TEST_RESULT_TYPE type;
  bool bool_result;      /* for WPERF_TEST_BOOL */
  uint64_t num_result;   /* for WPERF_TEST_NUMBER */
  const wchar_t* result; /* always: as `wperf test` writes it */
} TEST_INFO;
/* `conf` may be NULL. */
WPERF_API bool wperf_test(const TEST_CONF* conf, TEST_INFO* info);

#ifdef __cplusplus
}
#endif

#endif
