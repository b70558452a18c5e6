// SPDX-License-Identifier: BSD-3-Clause
// The driver's event tracing provider and the fields of its events, packed in this order. etw.cpp writes them;
// driver/package/wperf-driver.man describes them to tools that record and read them.
#pragma once
#include "base/ints.h"

// {DA8C0C33-109B-4E80-B754-0D6A826685C8} "WindowsPerf Driver": initialises a GUID.
#define WPERF_DRIVER_PROVIDER_GUID {0xDA8C0C33u, 0x109Bu, 0x4E80u, {0xB7, 0x54, 0x0D, 0x6A, 0x82, 0x66, 0x85, 0xC8}}

namespace wperf::driver {

enum EtwEvent : u16 {
  kEtwCounterRead = 1,  // EtwReading
  kEtwLockTaken = 2,    // these and all below: EtwClient
  kEtwLockGivenUp = 3,
  kEtwCountingStarted = 4,
  kEtwCountingStopped = 5,
  kEtwSamplingStarted = 6,
  kEtwSamplingStopped = 7,
};
inline constexpr u8 kEtwLevel = 4;             // information
inline constexpr u64 kEtwReadingKeyword = 1;   // keyword of kEtwCounterRead
inline constexpr u64 kEtwActivityKeyword = 2;  // keyword of all others

inline constexpr u32 kEtwCycleIndex = 0xffff'ffff;  // the fixed cycle counter of a core, event 0x11

struct EtwReading {
  u64 value;        // since counting was configured
  u64 running_ns;   // time this event was on a counter
  u64 enabled_ns;   // time counting was on
  u32 event_class;  // 0 core, 1 DSU, 2 DMC clk, 3 DMC clkdiv2
  u32 unit;         // core, cluster or channel
  u32 index;        // place in the request
  u32 event;
};
static_assert(sizeof(EtwReading) == 40);

struct EtwClient {
  u64 client;   // number of the open handle
  u32 process;  // the process that opened it
  u32 reserved;
};
static_assert(sizeof(EtwClient) == 16);

}  // namespace wperf::driver
