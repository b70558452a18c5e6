/* SPDX-License-Identifier: BSD-3-Clause
 * The C interface of the simulator library (libwperf-sim.so). `wperf` loads the library on demand and asks for
 * wperf_sim_api(). This is the only connection, because the library carries Unicorn (GPL-2.0) and the tool stays BSD.
 * */
#ifndef WPERF_SIM_MACHINE_API_H
#define WPERF_SIM_MACHINE_API_H

#include "abi/int_types.h"
#include "abi/status.h"

#define WPERF_SIM_API_VERSION 6u

typedef struct WperfSim WperfSim;

typedef struct WperfSimError {
  char text[512]; /* one sentence, no final period, no newline; empty = no error */
  char hint[640];
} WperfSimError;

typedef struct WperfSimProcess {
  wperf_u32 pid;
  wperf_u32 running;   /* 0 or 1 */
  wperf_u32 exit_code; /* once running is 0 */
  wperf_u32 core;
  /* The CPU time of its threads, and of the system on their behalf. */
  wperf_u64 user_ns, system_ns;
} WperfSimProcess;

typedef struct WperfSimModule {
  char name[64];   /* as loaded: "bignum.dll"; cut if longer */
  char path[1024]; /* empty for a part of the simulated Windows without a file */
  wperf_u64 base, size;
  wperf_u64 entry; /* address; may be 0 */
} WperfSimModule;

typedef struct WperfSimProgram {
  const char* image_path;
  const char* argument_line; /* the whole command line "PROG ARG…", as on Windows */
  wperf_u32 core;            /* the core where its first thread starts */
  wperf_u64 affinity;        /* a mask of the cores on which its threads may run; 0: all */
  const int* streams;        /* descriptors of its input, output and error, which the machine closes in any case; NULL:
                                those of this process */
} WperfSimProgram;

#define WPERF_SIM_MOST_COUNTS 8u
#define WPERF_SIM_MOST_FRAMES 24u

enum {
  WPERF_SIM_SWITCHED, /* a core switched to another thread */
  WPERF_SIM_READIED,  /* a waiting thread became ready */
  WPERF_SIM_THREAD_BEGAN,
  WPERF_SIM_THREAD_ENDED
};

/* An event of the machine's scheduler. The events of one core come in order; the time of WPERF_SIM_READIED may be a
   little earlier than the time of the previous event. */
typedef struct WperfSimScheduleEvent {
  wperf_u64 time_ns;
  wperf_u32 kind;
  wperf_u32 core;                    /* the core where it happened */
  wperf_u32 process, thread;         /* the thread that is switched in, is ready, begins or ends; 0: the core is idle */
  wperf_u32 old_process, old_thread; /* switched out, or readied or began the other thread; 0: a timer */
  wperf_u32 state, reason;           /* switched: Windows' KTHREAD_STATE and KWAIT_REASON of the old thread */
  /* Innermost first, kernel frames in front. Switched: the stack at which the new thread continues. Readied: the stack
     of the waking thread. */
  wperf_u32 frame_count, kernel_frames;
  wperf_u64 frames[WPERF_SIM_MOST_FRAMES];
  wperf_u64 counts[WPERF_SIM_MOST_COUNTS]; /* counts of the core since the machine was opened; switched only */
} WperfSimScheduleEvent;

/* A thread's counts on all cores since the schedule was first watched. */
typedef struct WperfSimThreadTruth {
  wperf_u32 process, thread;
  wperf_u64 cycles;
  wperf_u64 counts[WPERF_SIM_MOST_COUNTS];
} WperfSimThreadTruth;

/* A thread at the time of a sample, or of a stack in the watched schedule. The thread does not run while the watcher is
   called. */
typedef struct WperfSimMoment {
  wperf_u64 time_ns; /* as in the driver's sample or in the schedule's event; 0 for a record of SPE */
  wperf_u64 ticks;   /* the timestamp of a record of SPE */
  wperf_u64 pc;
  wperf_u32 process, thread, core;
} WperfSimMoment;
typedef void (*WperfSimWatcher)(void* context, const WperfSimMoment* moment);

typedef struct WperfSimApi {
  wperf_u32 version; /* WPERF_SIM_API_VERSION */
  /* Boots a machine and creates the first client of its driver. options: "cpu=neoverse-n1,cores=8,…" (may be empty).
     NULL on failure. Cheap, because no code is executed yet; `run=` programs are loaded, but start executing with the
     first wait(). */
  WperfSim* (*open)(const char* options, WperfSimError* error);
  /* Creates another client of the same machine. NULL on failure. */
  WperfSim* (*join)(WperfSim* sim, WperfSimError* error);
  /* Closes a client, and releases the driver lock if this client holds it. The machine ends with its last client. */
  void (*close)(WperfSim* sim);
  /* The counterpart of DeviceIoControl: one shared buffer of `capacity` bytes, `input` of them filled in; *returned =
     bytes of answer. */
  WperfStatus (*control)(WperfSim* sim, wperf_u32 code, void* buffer, wperf_u32 input, wperf_u32 capacity,
                         wperf_u32* returned);
  /* Loads a program; it executes from this client's next wait() on. Returns the pid, or 0 on failure. */
  wperf_u32 (*spawn)(WperfSim* sim, const WperfSimProgram* program, WperfSimError* error);
  wperf_u32 (*process)(WperfSim* sim, wperf_u32 pid, WperfSimProcess* out); /* 0 = unknown pid */
  void (*kill)(WperfSim* sim, wperf_u32 pid);
  /* Sends Ctrl-C to a program's console. Returns 0 if the program cannot receive it. */
  wperf_u32 (*interrupt)(WperfSim* sim, wperf_u32 pid);
  /* Why a program crashed; an empty text if it did not. */
  void (*crashed)(WperfSim* sim, wperf_u32 pid, WperfSimError* out);
  /* Lets virtual time pass: at most `duration_ns`, less if process `until_pid` (0 = no process) ends. Sleeps to keep
     pace with the wall clock if pace=real. Sets error if a program crashed or hit an unsupported import call. */
  void (*wait)(WperfSim* sim, wperf_u64 duration_ns, wperf_u32 until_pid, WperfSimError* error);
  wperf_u64 (*now_ns)(WperfSim* sim); /* virtual time since the machine was opened */
  /* The addresses of the DMC-620 register frames, for DMC_SETUP (a real machine lists them in ACPI). Fills at most
     `capacity` entries of both arrays; returns the number of channels. */
  wperf_u32 (*dmc_channels)(WperfSim* sim, wperf_u64* bases, wperf_u64* sizes, wperf_u32 capacity);
  /* The machine's manufacturer and product, as its firmware reports them. */
  const char* (*model)(WperfSim* sim);
  /* All programs since the machine was opened, including ended ones. Fills at most `capacity` entries; returns the
     number of programs. */
  wperf_u32 (*programs)(WperfSim* sim, WperfSimProcess* out, wperf_u32 capacity);
  /* The modules of a program, the image first, returned in the same way; 0 for an unknown pid. */
  wperf_u32 (*modules)(WperfSim* sim, wperf_u32 pid, WperfSimModule* out, wperf_u32 capacity);
  /* The ids of a program's threads, returned in the same way. */
  wperf_u32 (*threads)(WperfSim* sim, wperf_u32 pid, wperf_u32* ids, wperf_u32 capacity);
  /* From here on the schedule is recorded, with the cores' counts of these PMU events at all levels: at most
     WPERF_SIM_MOST_COUNTS. */
  void (*watch_schedule)(WperfSim* sim, const wperf_u16* events, wperf_u32 count);
  void (*unwatch_schedule)(WperfSim* sim);
  /* Removes at most `capacity` records and returns their number. With a capacity of 0, returns how many records there
     are. */
  wperf_u32 (*take_schedule)(WperfSim* sim, WperfSimScheduleEvent* out, wperf_u32 capacity);
  /* A thread of this process, which has no code on the machine, is switched in on each core and leaves it at once. */
  void (*visit_cores)(WperfSim* sim, wperf_u32 process, wperf_u32 thread);
  /* All threads that ran; thread 0 has the idle time of cores. Same conventions as programs(). */
  wperf_u32 (*schedule_truth)(WperfSim* sim, WperfSimThreadTruth* out, wperf_u32 capacity);
  /* Calls `watcher` each time that a counter's overflow interrupts a program, for each record of SPE and, while the
     schedule is watched, for each stack in it; NULL removes the watcher. There is one watcher for all clients; it may
     call only read_memory. */
  void (*watch_samples)(WperfSim* sim, WperfSimWatcher watcher, void* context);
  /* 1 if the program runs and all these bytes are mapped, else 0. */
  wperf_u32 (*read_memory)(WperfSim* sim, wperf_u32 pid, wperf_u64 address, void* to, wperf_u64 size);
} WperfSimApi;

#ifdef __cplusplus
extern "C"
#endif
    const WperfSimApi*
    wperf_sim_api(void);

#endif
