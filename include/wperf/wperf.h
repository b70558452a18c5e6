/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf as a library: counting, timelines, sampling and the lists, for programs in C and C++. Explained in
   docs/user/library.md.

   Every function but wperf_last_error() and wperf_stop() returns true when it did what it says. After false,
   wperf_last_error() tells why; at the end of the rows it is empty.

   Functions with rows share one manner. Called with NULL instead of a row they do the work: load a list, run a
   measurement. Each later call fills in the next row; false and an empty wperf_last_error() mean there are no more.

   Text goes in and comes out as wide strings: UTF-16 on Windows, UTF-32 elsewhere. Text that comes out belongs to the
   library; it is good until the same function does its work again, or until wperf_close().

   A configuration full of zeros asks for the default of everything. The library copies what it needs: nothing of a
   configuration must live longer than the call.

   Threads: there is one session per process, and any thread may use it. Calls wait for each other, except wperf_stop(),
   which may also be called from a signal handler, wperf_version() and wperf_last_error(), whose text belongs to the
   calling thread. Rows are given out once: threads that read the same list share its rows. */
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
   NULL: the value of WPERF_DEVICE in the environment, or the machine's own. UTF-8. Not while a session is open. */
WPERF_API bool wperf_set_device(const char* device);

/* Opens the machine and takes the driver's lock, which one process can hold at a time. */
WPERF_API bool wperf_init(void);
/* Gives the lock back and frees everything. Without a session it does nothing. */
WPERF_API bool wperf_close(void);

/* The reason why the last call of this thread returned false: a sentence in UTF-8; empty after true. Never NULL. */
WPERF_API const char* wperf_last_error(void);

/* Receives a line without its end, UTF-8, from the thread and during the call that measures. It must not call this
   library, wperf_stop() aside. */
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
/* How many rows there are; after the list was loaded. */
WPERF_API bool wperf_list_num_events(const LIST_CONF* conf, int* count);

/* One event of one metric. A metric has one row for each of its core events, one after the other. */
typedef struct METRIC_INFO {
  const wchar_t* metric_name;
  uint32_t event_idx;
  const wchar_t* event_name;
} METRIC_INFO;
/* The metrics that count on the cores. `conf` may be NULL here and in the next two. */
WPERF_API bool wperf_list_metrics(const LIST_CONF* conf, METRIC_INFO* info);
WPERF_API bool wperf_list_num_metrics(const LIST_CONF* conf, int* count);
/* How many rows there are. */
WPERF_API bool wperf_list_num_metrics_events(const LIST_CONF* conf, int* count);

/* ---- counting ------------------------------------------------------------------------------------------------- */

typedef struct STAT_CONF {
  const uint32_t* cores; /* NULL: all of them, or core 0 for a program to start */
  size_t num_cores;
  const wchar_t* events;    /* as `wperf stat -e` takes them: L"inst_spec,{ld_spec,st_spec}"; or NULL */
  const wchar_t* metrics;   /* as `wperf stat -m` takes them: L"imix,dcache"; or NULL */
  uint64_t duration_ms;     /* 0: until the program ends or wperf_stop(), or one second for a timeline */
  uint32_t period_ms;       /* how long events that take turns keep their turn, 10 to 100; 0: 100 */
  bool kernel;              /* count in the kernel too */
  const wchar_t* program;   /* a program to start on the core, suspended until counting begins; or NULL */
  const wchar_t* arguments; /* the program's arguments, with quotes where needed; or NULL */
  uint32_t spawn_delay_ms;  /* how long the program runs before counting begins */
  bool timeline;            /* count again and again; the next three are for this */
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
  uint64_t scheduled;        /* in how many rounds it was counted (0: never; its count of 0 is meaningless), */
  uint64_t round;            /* and how many rounds there were; on Linux and with Windows' tracing milliseconds */
  uint64_t scaled_value;     /* the estimate for counting all the time */
  double elapsed_seconds;    /* length of this count */
} STAT_INFO;
/* With NULL: counts, and returns at the end. If the program crashed, this is false, and the rows show the counts until
   then. Rows are in the order of counts, cores and events. */
WPERF_API bool wperf_stat(const STAT_CONF* conf, STAT_INFO* info);

/* The same from one moment to another: wperf_stat_begin() returns while counting goes on, wperf_stat_end() ends it, and
   wperf_stat() then gives out the rows.
   process: the number of a running process, which may be the calling one; only Linux and Windows' tracing follow a
   process. 0: the cores of `conf`. Only events, metrics, period_ms, cores and kernel of `conf` may be set.
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
/* Rows of the last wperf_stat(). With NULL: from the first row again. `conf` may be NULL. */
WPERF_API bool wperf_stat_metrics(const STAT_CONF* conf, STAT_METRIC_INFO* info);

/* ---- sampling ------------------------------------------------------------------------------------------------- */

typedef struct SAMPLE_CONF {
  const uint32_t* cores; /* those to sample; a program is started on the first. A running one wants its core named. */
  size_t num_cores;
  const wchar_t* events;  /* as `wperf record -e` takes them: L"ld_spec:100000"; NULL: cycles */
  uint32_t rate_hz;       /* samples per second and core of events without an interval, 1 to 50000; 0: no such rate */
  uint64_t duration_ms;   /* 0: until the program ends or wperf_stop() */
  bool kernel;            /* sample in the kernel too */
  const wchar_t* program; /* a program to start; or NULL and */
  const wchar_t* image_name;  /* the name of a running program */
  const wchar_t* arguments;   /* the program's arguments, with quotes where needed; or NULL */
  uint32_t spawn_delay_ms;    /* how long the program runs before sampling begins */
  const wchar_t* pdb_file;    /* symbols of the program; NULL: found as docs/user/symbols.md says */
  const wchar_t* symbol_path; /* further places of symbols; or NULL */
  const wchar_t* symbol;      /* only these functions: L"^start", L"end$", L"name"; or NULL */
  uint32_t display_row;       /* number of the hottest functions per event; 0: all */
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
/* With NULL: samples, and returns when names are found. If the program crashed, this is false, and the rows show the
   samples until then. Rows are in the order of events, hottest function first. */
WPERF_API bool wperf_sample(const SAMPLE_CONF* conf, SAMPLE_INFO* info);

/* One source line of one function and one event. */
typedef struct ANNOTATE_INFO {
  const wchar_t* event;
  const wchar_t* symbol;
  const wchar_t* source_file;
  uint32_t line_number;
  uint64_t hits; /* samples */
} ANNOTATE_INFO;
/* Rows of the last wperf_sample() with `annotate`. With NULL: from the first row again. `conf` may be NULL. */
WPERF_API bool wperf_sample_annotate(const SAMPLE_CONF* conf, ANNOTATE_INFO* info);

typedef struct SAMPLE_STATS {
  uint64_t samples_generated; /* those that were dropped included */
  uint64_t samples_dropped;
} SAMPLE_STATS;
/* Numbers of the last wperf_sample(). `conf` may be NULL. */
WPERF_API bool wperf_sample_stats(const SAMPLE_CONF* conf, SAMPLE_STATS* stats);

/* ---- how the machine is set up -------------------------------------------------------------------------------- */

typedef struct TEST_CONF {
  const wchar_t* events;  /* whose schedule to show, as in STAT_CONF; or NULL */
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
