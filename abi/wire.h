/* SPDX-License-Identifier: BSD-3-Clause
 * The driver's requests and answers. Every struct starts with its size and version, holds fixed-width integers only,
 * names its padding and pins its offsets. The layout never changes. Request and answer share one buffer
 * (METHOD_BUFFERED). */
#ifndef WPERF_ABI_WIRE_H
#define WPERF_ABI_WIRE_H

#include "abi/int_types.h"

/* VERSION and LOCK keep their shape in every version and are answered whatever version a header names. */
#define WPERF_WIRE_VERSION 2u

/* CTL_CODE(0x8000, 0x900 + n, METHOD_BUFFERED, FILE_READ_DATA | FILE_WRITE_DATA) */
#define WPERF_CODE(n) ((0x8000u << 16) | (3u << 14) | ((0x900u + (n)) << 2))

enum {
  WPERF_CODE_VERSION = WPERF_CODE(0),
  WPERF_CODE_LOCK = WPERF_CODE(1),
  WPERF_CODE_HARDWARE = WPERF_CODE(2),
  WPERF_CODE_CORE = WPERF_CODE(3),      /* one core's identity: hybrid machines differ per core */
  WPERF_CODE_DMC_SETUP = WPERF_CODE(4), /* where the DMC-620 register frames are (from ACPI) */
  WPERF_CODE_DSU_SETUP = WPERF_CODE(5), /* how many DSU clusters there are (from ACPI), where the driver can't know */
  WPERF_CODE_INTERRUPT = WPERF_CODE(6), /* owner of the counters' overflow interrupt; does not request it */
  WPERF_CODE_COUNT_CONFIGURE = WPERF_CODE(16),
  WPERF_CODE_COUNT_START = WPERF_CODE(17),
  WPERF_CODE_COUNT_STOP = WPERF_CODE(18),
  WPERF_CODE_COUNT_READ = WPERF_CODE(19),
  WPERF_CODE_SAMPLE_CONFIGURE = WPERF_CODE(32),
  WPERF_CODE_SAMPLE_START = WPERF_CODE(33),
  WPERF_CODE_SAMPLE_STOP = WPERF_CODE(34),
  WPERF_CODE_SAMPLE_DRAIN = WPERF_CODE(35),       /* for a session without stacks */
  WPERF_CODE_SAMPLE_STACK_DRAIN = WPERF_CODE(36), /* for a session with stacks */
  WPERF_CODE_SPE_CONFIGURE = WPERF_CODE(48),      /* administrators only: buffers contain everybody's programs */
  WPERF_CODE_SPE_START = WPERF_CODE(49),
  WPERF_CODE_SPE_STOP = WPERF_CODE(50),
  WPERF_CODE_SPE_DRAIN = WPERF_CODE(51),
  WPERF_CODE_SPE_CORE = WPERF_CODE(52) /* abilities of the SPE of one core */
};

enum { WPERF_MAX_CORES = 256, WPERF_MAX_CLUSTERS = 128, WPERF_MAX_DMC_CHANNELS = 16, WPERF_MAX_COUNTERS = 31 };

/* Event classes, in the order every table of the tool uses. */
enum {
  WPERF_CLASS_CORE = 0,
  WPERF_CLASS_DSU = 1,
  WPERF_CLASS_DMC_CLK = 2,
  WPERF_CLASS_DMC_CLKDIV2 = 3,
  WPERF_CLASS_COUNT = 4
};

enum {
  WPERF_MAX_CORE_EVENTS = 128,
  WPERF_MAX_DSU_EVENTS = 32,
  WPERF_MAX_DMC_CLK_EVENTS = 4,
  WPERF_MAX_DMC_CLKDIV2_EVENTS = 8
};

typedef struct WperfHeader {
  wperf_u32 size; /* size of the whole struct */
  wperf_u32 version;
} WperfHeader;
WPERF_WIRE_SIZE(WperfHeader, 8);

/* Requests that carry nothing but their code: VERSION, INTERRUPT, HARDWARE, COUNT_START, COUNT_STOP, SAMPLE_START,
 * SAMPLE_STOP, SPE_START, SPE_STOP. */
typedef struct WperfPlainRequest {
  WperfHeader header;
} WperfPlainRequest;

typedef struct WperfVersionReply {
  WperfHeader header;
  wperf_u32 major, minor, patch, wire_version;
  char git[32];      /* hexadecimal, zero-padded */
  char features[64]; /* "+trace+spe+stacks", zero-padded; only these features exist */
} WperfVersionReply;
WPERF_WIRE_AT(WperfVersionReply, git, 24);
WPERF_WIRE_AT(WperfVersionReply, features, 56);
WPERF_WIRE_SIZE(WperfVersionReply, 120);

enum {
  WPERF_INTERRUPT_NOT_ASKED = 0, /* sampling will request it */
  WPERF_INTERRUPT_HELD = 1,
  WPERF_INTERRUPT_REFUSED = 2,
  /* Since the system started, the driver had the interrupt, was unloaded and was loaded again. Until the next start: */
  WPERF_INTERRUPT_NOT_GIVEN_AGAIN = 3,
  WPERF_INTERRUPT_MAYBE_NOT_AGAIN = 4 /* not requested again */
};

typedef struct WperfInterruptReply { /* needs no lock */
  WperfHeader header;
  wperf_u32 state; /* WPERF_INTERRUPT_… */
  wperf_u32 reserved;
} WperfInterruptReply;
WPERF_WIRE_SIZE(WperfInterruptReply, 16);

enum { WPERF_LOCK_ACQUIRE = 1, WPERF_LOCK_FORCE = 2, WPERF_LOCK_RELEASE = 3 };

typedef struct WperfLockRequest {
  WperfHeader header;
  wperf_u32 action;
  wperf_u32 reserved;
} WperfLockRequest;
WPERF_WIRE_SIZE(WperfLockRequest, 16);

typedef struct WperfHardwareReply {
  WperfHeader header;
  wperf_u64 midr;        /* that of core 0 */
  wperf_u64 id_aa64dfr0; /* that of core 0 */
  /* One moment on two clocks: CNTVCT_EL0 of the generic timer, whose ticks are the SPE's timestamps, and the driver's
   * clock, which gives samples their times. Valid if timer_hz is not 0. */
  wperf_u64 timer_ticks, timer_time_ns;
  wperf_u32 core_count;
  wperf_u32 counters_total; /* programmable counters: the minimum over the cores */
  wperf_u32 counters_free;  /* of these, counters not taken by others */
  wperf_u32 cycle_counters; /* fixed ones, 1 */
  wperf_u32 cluster_count;  /* DSU clusters, 0 = no DSU */
  wperf_u32 cluster_size;   /* cores per cluster */
  wperf_u32 dsu_counters;
  wperf_u32 dmc_channels; /* set up with DMC_SETUP; may be 0 */
  wperf_u32 dmc_clk_counters, dmc_clkdiv2_counters;
  wperf_u32 period_min_ms, period_max_ms, period_default_ms;
  wperf_u32 timer_hz;       /* CNTFRQ_EL0; 0: unknown (older driver) */
  wperf_u8 counter_map[32]; /* hardware index of free counter n; 0xff = unused */
  char device_id[128];      /* "core.stat=core;…", zero-padded */
} WperfHardwareReply;
WPERF_WIRE_AT(WperfHardwareReply, timer_ticks, 24);
WPERF_WIRE_AT(WperfHardwareReply, core_count, 40);
WPERF_WIRE_AT(WperfHardwareReply, timer_hz, 92);
WPERF_WIRE_AT(WperfHardwareReply, counter_map, 96);
WPERF_WIRE_AT(WperfHardwareReply, device_id, 128);
WPERF_WIRE_SIZE(WperfHardwareReply, 256);

typedef struct WperfCoreRequest {
  WperfHeader header;
  wperf_u32 core;
  wperf_u32 reserved;
} WperfCoreRequest;
WPERF_WIRE_SIZE(WperfCoreRequest, 16);

typedef struct WperfCoreReply {
  WperfHeader header;
  wperf_u64 midr;
  wperf_u64 id_aa64dfr0;
  wperf_u64 pmceid0, pmceid1;
  wperf_u32 counters_total, counters_free;
  wperf_u32 cluster; /* 0xffffffff without a DSU */
  wperf_u32 reserved;
} WperfCoreReply;
WPERF_WIRE_SIZE(WperfCoreReply, 56);

typedef struct WperfDmcSetupRequest {
  WperfHeader header;
  wperf_u32 channel_count;
  wperf_u32 reserved;
  struct {
    wperf_u64 base; /* physical, page-aligned */
    wperf_u64 size;
  } channels[WPERF_MAX_DMC_CHANNELS];
} WperfDmcSetupRequest;
WPERF_WIRE_SIZE(WperfDmcSetupRequest, 16 + 16 * 16);

typedef struct WperfDsuSetupRequest {
  WperfHeader header;
  wperf_u32 cluster_count; /* may be 0 */
  wperf_u32 cluster_size;  /* cores per cluster; all clusters together have all cores */
} WperfDsuSetupRequest;
WPERF_WIRE_SIZE(WperfDsuSetupRequest, 16);

enum { WPERF_COUNT_KERNEL = 1u }; /* flags: count EL1 as well as EL0 */
enum { WPERF_NO_GROUP = 0xffffu, WPERF_ALL_CHANNELS = 0xffu };

typedef struct WperfEventEntry {
  wperf_u16 event;
  wperf_u16 group; /* WPERF_NO_GROUP, or: entries of one group share a number and one time slot */
} WperfEventEntry;

/* Entries form a ring per class: with F counters, time slot r counts entries (F*r + i) mod length, i = 0..F-1. */
typedef struct WperfCountRequest {
  WperfHeader header;
  wperf_u32 flags;
  wperf_u32 period_ms;   /* length of a time slot */
  wperf_u32 dmc_channel; /* or WPERF_ALL_CHANNELS */
  wperf_u32 reserved;
  wperf_u64 core_mask[WPERF_MAX_CORES / 64];
  wperf_u32 entry_count[WPERF_CLASS_COUNT];
  WperfEventEntry core[WPERF_MAX_CORE_EVENTS];
  WperfEventEntry dsu[WPERF_MAX_DSU_EVENTS];
  WperfEventEntry dmc_clk[WPERF_MAX_DMC_CLK_EVENTS];
  WperfEventEntry dmc_clkdiv2[WPERF_MAX_DMC_CLKDIV2_EVENTS];
} WperfCountRequest;
WPERF_WIRE_AT(WperfCountRequest, core_mask, 24);
WPERF_WIRE_AT(WperfCountRequest, entry_count, 56);
WPERF_WIRE_AT(WperfCountRequest, core, 72);
WPERF_WIRE_AT(WperfCountRequest, dsu, 584);
WPERF_WIRE_AT(WperfCountRequest, dmc_clk, 712);
WPERF_WIRE_SIZE(WperfCountRequest, 760);

typedef struct WperfCountReadRequest {
  WperfHeader header;
  wperf_u32 event_class;
  wperf_u32 unit; /* core number, cluster number or channel number */
} WperfCountReadRequest;
WPERF_WIRE_SIZE(WperfCountReadRequest, 16);

typedef struct WperfCounterReading {
  wperf_u64 value;
  wperf_u64 slots;          /* time slots this entry was on a counter */
  wperf_u64 running_ns;     /* time it was on a counter */
  wperf_u64 running_cycles; /* core class: the cycles of that time */
  /* For the error estimate, from full slots only, not from one cut short by stopping: */
  wperf_u64 full_slots;
  wperf_u64 full_value;
  wperf_u64 squares_low, squares_high; /* sum of (count in slot)^2, 128 bits */
} WperfCounterReading;
WPERF_WIRE_SIZE(WperfCounterReading, 64);

/* Where a core's cycles come from. The fixed cycle counter belongs to the system: it is read, and never written. */
enum {
  WPERF_CYCLES_NONE = 0,    /* not counted: all counters are busy, and the fixed one is stopped */
  WPERF_CYCLES_COUNTED = 1, /* event 0x11 on one of our counters, filtered like the events */
  WPERF_CYCLES_SHARED =
      2 /* the fixed cycle counter by difference: all that the system lets it count, including the kernel */
};

typedef struct WperfCountReply {
  WperfHeader header;
  wperf_u32 event_class, unit;
  wperf_u32 entry_count;
  wperf_u32 multiplexed;   /* 0 or 1 */
  wperf_u64 rounds;        /* time slots in total */
  wperf_u64 enabled_ns;    /* time counting was on */
  wperf_u64 cycles;        /* core class */
  wperf_u32 cycles_source; /* core class: WPERF_CYCLES_… */
  wperf_u32 losses;        /* times that the registers were found wiped or changed; they were set up again */
  wperf_u64 lost_ns;       /* part of enabled_ns: time whose counts were lost */
  WperfCounterReading entries[WPERF_MAX_CORE_EVENTS];
} WperfCountReply;
WPERF_WIRE_AT(WperfCountReply, rounds, 24);
WPERF_WIRE_AT(WperfCountReply, cycles_source, 48);
WPERF_WIRE_AT(WperfCountReply, entries, 64);
WPERF_WIRE_SIZE(WperfCountReply, 64 + 64 * 128);

enum { WPERF_SAMPLE_KERNEL = 1u, WPERF_SAMPLE_JITTER = 2u }; /* flags of WperfSampleRequest */

enum { WPERF_MAX_STACK = 127 };

/* Per core; faster events are held back. Only an administrator may ask for more. */
enum { WPERF_SAMPLES_PER_SECOND = 60000 };

typedef struct WperfSampleEvent {
  wperf_u16 event;
  wperf_u16 reserved;
  wperf_u32 interval; /* counts from one sample to the next, not 0 */
} WperfSampleEvent;
WPERF_WIRE_SIZE(WperfSampleEvent, 8);

typedef struct WperfSampleRequest {
  WperfHeader header;
  wperf_u32 flags;
  wperf_u32 event_count;
  wperf_u64 core_mask[WPERF_MAX_CORES / 64];
  wperf_u64 seed;            /* seed of the jitter */
  wperf_u32 jitter_shift;    /* an interval varies by up to interval >> jitter_shift either way; 1..31 */
  wperf_u32 ring_samples;    /* per core, 0 = the driver's default; rounded up to a power of two, capped */
  wperf_u32 most_per_second; /* samples on each core, 0 = WPERF_SAMPLES_PER_SECOND */
  wperf_u32 max_stack;       /* callers of a sample, at most WPERF_MAX_STACK; 0 = no stacks. Needs "+stacks" */
  WperfSampleEvent events[WPERF_MAX_COUNTERS];
} WperfSampleRequest;
WPERF_WIRE_AT(WperfSampleRequest, core_mask, 16);
WPERF_WIRE_AT(WperfSampleRequest, events, 72);
WPERF_WIRE_SIZE(WperfSampleRequest, 72 + 8 * 31);

typedef struct WperfSample {
  wperf_u64 time_ns;
  wperf_u64 pc, lr;
  wperf_u32 process, thread;
  wperf_u32 overflowed; /* bit n: events[n] of the request passed its interval */
  wperf_u16 core;
  wperf_u8 exception_level; /* 0 or 1 */
  wperf_u8 stack_words;     /* 64-bit words that follow this sample: a WperfStack and its frames. 0: it has no stack */
} WperfSample;
WPERF_WIRE_AT(WperfSample, exception_level, 38);
WPERF_WIRE_SIZE(WperfSample, 40);

/* The parts of its stack that a sample lacks. */
enum {
  WPERF_STACK_CUT = 1u, /* it is deeper than max_stack */
  WPERF_STACK_LOST = 2u /* the program's part was not taken: no room, or its thread ended before it could be */
};

/* Followed by return addresses as the chain of frame records has them, innermost first: first those of the kernel, then
 * those of the program. The caller of a function without a frame record is not in the chain but maybe in lr. */
typedef struct WperfStack {
  wperf_u8 kernel_frames, user_frames;
  wperf_u8 flags;
  wperf_u8 reserved[5];
} WperfStack;
WPERF_WIRE_SIZE(WperfStack, 8);

typedef struct WperfDrainRequest {
  WperfHeader header;
  wperf_u32 core;
  wperf_u32 reserved;
} WperfDrainRequest;
WPERF_WIRE_SIZE(WperfDrainRequest, 16);

enum { WPERF_MAX_DRAINED = 1024 }; /* samples in one answer; drain again while more is not 0 */

typedef struct WperfDrainReply {
  WperfHeader header;
  wperf_u32 core;
  wperf_u32 count;  /* samples that follow */
  wperf_u32 more;   /* 1: the ring holds more */
  wperf_u32 merged; /* intervals without a sample, because one interrupt ended several; 2^32-1: more */
  /* Since configure, for this core: */
  wperf_u64 taken;           /* overflow interrupts taken as samples, including lost ones */
  wperf_u64 lost_ring_full;  /* no room in the ring */
  wperf_u64 lost_filtered;   /* from an exception level that was not asked for (skid), or a process of another user that
                                this client may not look into */
  wperf_u64 held_back;       /* intervals without a sample, because they would have come too fast */
  wperf_u64 register_losses; /* times that the registers were found wiped or changed, and set up again */
  WperfSample samples[WPERF_MAX_DRAINED];
} WperfDrainReply;
WPERF_WIRE_AT(WperfDrainReply, samples, 64);
WPERF_WIRE_SIZE(WperfDrainReply, 64 + 40 * 1024);

enum { WPERF_MAX_STACK_BYTES = 65536 }; /* size of the records in one answer; drain again while more is not 0 */

typedef struct WperfStackDrainReply { /* to a WperfDrainRequest; named as in WperfDrainReply
                                       */
  WperfHeader header;
  wperf_u32 core;
  wperf_u32 bytes; /* size of the records that follow */
  wperf_u32 more;
  wperf_u32 merged;
  wperf_u64 taken;
  wperf_u64 lost_ring_full;
  wperf_u64 lost_filtered;
  wperf_u64 held_back;
  wperf_u64 register_losses;
  wperf_u64 lost_stacks; /* delivered samples with WPERF_STACK_LOST */
  wperf_u64 cut_stacks;
  wperf_u8 records[WPERF_MAX_STACK_BYTES]; /* each a WperfSample and its stack_words */
} WperfStackDrainReply;
WPERF_WIRE_AT(WperfStackDrainReply, taken, 24);
WPERF_WIRE_AT(WperfStackDrainReply, records, 80);
WPERF_WIRE_SIZE(WperfStackDrainReply, 80 + 65536);

/* Statistical profiling. Independent of counting, which may go on at the same time; sampling by overflow may not. */

/* Flags of WperfSpeRequest. */
enum {
  WPERF_SPE_KERNEL = 1u,     /* operations at EL1 as well as EL0 */
  WPERF_SPE_TIMESTAMPS = 2u, /* ticks of the generic timer at the end of each record */
  WPERF_SPE_PHYSICAL = 4u,   /* physical addresses of data */
  WPERF_SPE_CONTEXT = 8u,    /* CONTEXTIDR_EL1 in each record */
  WPERF_SPE_JITTER = 16u,    /* the hardware varies the interval */
  WPERF_SPE_LOADS = 32u,     /* without any of these three everything is kept, otherwise only these kinds */
  WPERF_SPE_STORES = 64u,
  WPERF_SPE_BRANCHES = 128u
};

enum {
  WPERF_SPE_MIN_BUFFER = 16384, /* bytes of a core's buffer, both halves; a multiple of 8192 */
  WPERF_SPE_MAX_BUFFER = 8388608,
  WPERF_SPE_DEFAULT_BUFFER = 1048576
};

typedef struct WperfSpeRequest {
  WperfHeader header;
  wperf_u32 flags;
  wperf_u32 interval; /* operations from one sample to the next, rounded down to a multiple of 256; not less than the
                         hardware's least one */
  wperf_u64 core_mask[WPERF_MAX_CORES / 64];
  wperf_u64 events;       /* keeps operations that have all of these events; 0: off */
  wperf_u64 not_events;   /* keeps operations with none of these events; 0: off; needs FEAT_SPEv1p2 */
  wperf_u32 min_latency;  /* keeps operations that took at least this many cycles; 0: off */
  wperf_u32 buffer_bytes; /* per core, 0 = the default */
} WperfSpeRequest;
WPERF_WIRE_AT(WperfSpeRequest, core_mask, 16);
WPERF_WIRE_AT(WperfSpeRequest, events, 48);
WPERF_WIRE_AT(WperfSpeRequest, min_latency, 64);
WPERF_WIRE_SIZE(WperfSpeRequest, 72);

typedef struct WperfSpeCoreReply { /* to a WperfCoreRequest */
  WperfHeader header;
  wperf_u64 pmsidr, pmbidr;   /* 0: this core has no SPE, or a higher exception level keeps it */
  wperf_u32 version;          /* ID_AA64DFR0_EL1.PMSVer */
  wperf_u32 min_interval;     /* operations */
  wperf_u32 latency_bits;     /* bits of a counter packet; the greatest latency is (1 << bits) - 1 */
  wperf_u32 buffer_alignment; /* bytes */
} WperfSpeCoreReply;
WPERF_WIRE_SIZE(WperfSpeCoreReply, 40);

/* Events of WperfSpeDrainReply: reports of the core's buffer management since the previous drain. */
enum {
  WPERF_SPE_GAP = 1u, /* records before these bytes are missing: a decoder must restart here */
  WPERF_SPE_BUFFER_FULL = 2u,
  WPERF_SPE_COLLISION = 4u, /* an operation was chosen while the previous one was still under way */
  WPERF_SPE_DATA_LOSS = 8u, /* the hardware dropped a record, maybe in the middle */
  WPERF_SPE_FAULT = 16u,    /* the buffer could not be written: profiling of this core has ended */
  WPERF_SPE_EXTERNAL_ABORT = 32u
};

enum { WPERF_SPE_MAX_DRAINED = 65536 }; /* bytes in one answer; drain again while more is not 0 */

typedef struct WperfSpeDrainReply { /* to a WperfDrainRequest */
  WperfHeader header;
  wperf_u32 core;
  wperf_u32 bytes; /* size of the data that follow */
  wperf_u32 more;  /* 1: there is more */
  wperf_u32 events;
  wperf_u64 buffer_address; /* address of data[0], modulo 65536: alignment packets are relative to it */
  /* Since configure, for this core: */
  wperf_u64 written;                 /* bytes */
  wperf_u64 full;                    /* times it stopped because both halves were full */
  wperf_u64 stopped_ns;              /* time in which profiling was stopped because of that */
  wperf_u64 collisions, data_losses; /* buffers with this flag */
  wperf_u64 status;                  /* PMBSR_EL1 of the latest fault */
  wperf_u8 data[WPERF_SPE_MAX_DRAINED];
} WperfSpeDrainReply;
WPERF_WIRE_AT(WperfSpeDrainReply, buffer_address, 24);
WPERF_WIRE_AT(WperfSpeDrainReply, data, 80);
WPERF_WIRE_SIZE(WperfSpeDrainReply, 80 + 65536);

#endif
