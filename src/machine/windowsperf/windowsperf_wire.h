// SPDX-License-Identifier: BSD-3-Clause
// The requests and answers of Arm's wperf-driver of WindowsPerf, versions 3.7.1 to 3.8.0. Arm's driver dictates the
// layout, so every offset is asserted.
#pragma once
#include <cstddef>
#include <type_traits>

#include "base/ints.h"

namespace wperf::windowsperf {

enum class Request : u32 {
  count_start = 0x9C44E400,
  count_stop = 0x9C44E404,
  count_reset = 0x9C44E408,
  hardware = 0x9C44E40C,
  supported_events = 0x9C44E410,
  version = 0x9C44E414,
  assign = 0x9C44E418,
  count_read = 0x9C44E41C,
  dsu_init = 0x9C44E420,
  dsu_read = 0x9C44E424,
  dmc_init = 0x9C44E428,
  dmc_read = 0x9C44E42C,
  sample_sources = 0x9C44E430,
  sample_start = 0x9C44E434,
  sample_stop = 0x9C44E438,
  sample_get = 0x9C44E43C,
  lock_acquire = 0x9C44E440,
  lock_release = 0x9C44E444,
  spe_init = 0x9C44E448,
  spe_get_size = 0x9C44E44C,
  spe_get_buffer = 0x9C44E450,
  spe_start = 0x9C44E454,
  spe_stop = 0x9C44E458,
};

inline constexpr u32 kMostCores = 127;       // for one request
inline constexpr u32 kMostCoreEvents = 127;  // in addition to the cycle counter
inline constexpr u32 kMostDsuEvents = 31;    // in addition to the DSU's cycle counter
inline constexpr u32 kMostClkEvents = 4, kMostClkdiv2Events = 8;
inline constexpr u32 kMostSamples = 128;   // in a core's buffer and in one answer
inline constexpr u32 kMostOutput = 40960;  // in bytes; the driver refuses more
inline constexpr u32 kCycleCounter = 0xFFFFFFFF;
inline constexpr u32 kAllCores = 0xFFFFFFFF;
inline constexpr u8 kAllChannels = 0xFF;
inline constexpr u32 kUserOnly = 0x80000000;  // in filter_bits; 0: user and kernel
inline constexpr u16 kFillerEvent = 0x1B;

enum : u32 { kCountCore = 1, kCountDsu = 2, kCountDmc = 4 };  // flags of CoreList
enum : u32 { kLockGet = 0, kLockForce = 1, kLockRelease = 2 };
enum class LockStatus : u32 { idle = 0, busy = 1, acquired = 2, no_counters = 3, unknown = 4 };

// Windows' errors that the driver returns.
enum : u32 {
  kBadCommand = 22,  // not the holder of the lock, or the driver is being removed
  kInvalidParameter = 87,
  kInsufficientBuffer = 122,
  kMoreData = 234,
  kInvalidBlockLength = 1106,
  kNoSystemResources = 1450,
};

struct CoreList {  // CTL
  u64 count;
  u8 numbers[128];
  u32 period_ms;  // period of count_start; the driver takes it as signed
  u8 dmc_channel;
  u8 padding[3];
  u32 flags;
  u32 padding_2;
};

struct HardwareAnswer {
  u8 pmu_version, fixed_counters, free_counters, total_counters, vendor, variant, architecture, revision;
  u16 part, core_count;
  u32 padding;
  u64 midr, id_aa64dfr0;
  u8 counter_map[32];
  char16_t device_id[128];
  u64 pmbidr, pmsidr;
};

struct VersionBlock {  // in both directions
  u8 major, minor, patch, padding;
  char16_t git[32];
  char16_t features[128];
};

struct AssignHeader {  // EventBlocks and their codes follow
  u32 core;
  u8 dmc_channel;
  u8 padding[3];
  u64 filter_bits;
};
struct EventBlock {  // followed by `count` 16-bit codes without padding
  u32 event_class;
  u16 count;
  u16 padding;
};

struct EventReading {
  u32 event;
  u32 padding;
  u64 filter_bits;
  u64 value;
  u64 scheduled;  // number of ticks in which it was on a counter
};
struct CountAnswer {
  u32 count;
  u32 padding;
  u64 round;  // ticks
  EventReading events[128];
};
struct DsuAnswer {
  u32 count;
  u32 padding;
  u64 round;
  EventReading events[32];
};
struct DmcAnswer {
  EventReading clk[kMostClkEvents], clkdiv2[kMostClkdiv2Events];
  u8 clk_count, clkdiv2_count;
  u8 padding[6];
};

struct DsuSetup {
  u16 clusters, cores_per_cluster;
};
struct DsuCounters {
  u8 fixed, general;
};
struct DmcSetupHeader {  // followed by {u64 first, u64 last} for each channel
  u8 channels;
  u8 padding[7];
};
struct DmcCounters {
  u8 clk_fixed, clk_general, clkdiv2_fixed, clkdiv2_general;
};

struct SampleSource {  // follows the core (u32)
  u32 event, interval, filter_bits;
};
struct SampleTotals {
  u64 generated, dropped;
};
struct SampleRecord {
  u64 lr, pc;
  u64 overflow_flags;  // a bit for each hardware counter
  u32 spe_event;
  u32 padding;
};
struct SampleAnswer {
  u32 count;
  u32 padding;
  SampleRecord samples[kMostSamples];
};

template <typename Struct, size_t kSize>
constexpr bool is_laid_out() {
  return sizeof(Struct) == kSize && std::is_trivially_copyable_v<Struct>;
}
static_assert(is_laid_out<CoreList, 152>() && offsetof(CoreList, period_ms) == 136 &&
              offsetof(CoreList, dmc_channel) == 140 && offsetof(CoreList, flags) == 144);
static_assert(is_laid_out<HardwareAnswer, 336>() && offsetof(HardwareAnswer, part) == 8 &&
              offsetof(HardwareAnswer, midr) == 16 && offsetof(HardwareAnswer, counter_map) == 32 &&
              offsetof(HardwareAnswer, device_id) == 64 && offsetof(HardwareAnswer, pmbidr) == 320);
static_assert(is_laid_out<VersionBlock, 324>() && offsetof(VersionBlock, git) == 4 &&
              offsetof(VersionBlock, features) == 68);
static_assert(is_laid_out<AssignHeader, 16>() && offsetof(AssignHeader, filter_bits) == 8);
static_assert(is_laid_out<EventBlock, 8>() && offsetof(EventBlock, count) == 4);
static_assert(is_laid_out<EventReading, 32>() && offsetof(EventReading, value) == 16);
static_assert(is_laid_out<CountAnswer, 4112>() && offsetof(CountAnswer, events) == 16);
static_assert(is_laid_out<DsuAnswer, 1040>() && is_laid_out<DmcAnswer, 392>());
static_assert(offsetof(DmcAnswer, clkdiv2) == 128 && offsetof(DmcAnswer, clk_count) == 384);
static_assert(is_laid_out<DsuSetup, 4>() && is_laid_out<DsuCounters, 2>());
static_assert(is_laid_out<DmcSetupHeader, 8>() && is_laid_out<DmcCounters, 4>());
static_assert(is_laid_out<SampleSource, 12>() && is_laid_out<SampleTotals, 16>());
static_assert(is_laid_out<SampleRecord, 32>() && offsetof(SampleRecord, overflow_flags) == 16);
static_assert(is_laid_out<SampleAnswer, 4104>() && offsetof(SampleAnswer, samples) == 8);

}  // namespace wperf::windowsperf
