// SPDX-License-Identifier: BSD-3-Clause
// The abilities of the machine, decoded from its identification registers. They are read once per tenure of the lock,
// with the core counters reserved, so that an answer to a client is still valid when the client configures.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/hal.h"

namespace wperf::driver {

inline constexpr u32 kNoCluster = 0xffff'ffff;
inline constexpr u8 kNoCounter = 0xff;

struct CoreIdentity {
  u64 midr;
  u64 id_aa64dfr0;
  u64 pmceid0, pmceid1;  // 0 without a PMU
  u64 pmsidr, pmbidr;    // only from read_spe_identity; 0 without SPE
  u32 counters;          // programmable counters; 0 without a PMU
  bool counts;           // it has a PMU with accessible registers
};

// The clusters that share a DSU: as the hal reports them, unless a client, which can read the firmware's tables, has
// set them.
struct ClusterSetup {
  bool known = false;
  u32 count = 0, size = 0;
};

// One time on two clocks: the generic timer, and Hal::time_ns().
struct TimerMoment {
  u64 ticks = 0, time_ns = 0;
  u32 hz = 0;  // frequency of the timer; 0 if its register has an impossible value
};

struct HardwareFacts {
  u32 core_count = 0;
  u32 cluster_count = 0;  // 0 = no DSU
  u32 cluster_size = 0;
  CoreIdentity first_core = {};
  u32 counters_total = 0;  // the smallest number over the cores
  u32 free_mask = 0;       // hardware counters that are reserved for this driver on every core
  u32 dsu_counters = 0;    // the smallest number over the clusters
  bool every_core_counts = false;
  u8 counter_map[32] = {};  // hardware index of free counter n

  u32 counters_free() const;
  u32 cluster_of(u32 core) const { return cluster_count == 0 ? kNoCluster : core / cluster_size; }
};

// Whether the core that this code runs on has a PMU with accessible registers. Its other registers may not be touched
// before this call.
bool core_counts(Hal& hal);

[[nodiscard]] WperfStatus read_core_identity(Hal& hal, u32 core, CoreIdentity& identity);
// Reads the identification of the core's SPE. The SPE's registers are touched only for clients that ask for the SPE.
[[nodiscard]] WperfStatus read_spe_identity(Hal& hal, u32 core, CoreIdentity& identity);

[[nodiscard]] WperfStatus read_timer(Hal& hal, TimerMoment& moment);

// `reserved_mask` is the result of Hal::reserve_counters. After a failure `machine` must not be used.
[[nodiscard]] WperfStatus read_hardware(Hal& hal, u32 reserved_mask, const ClusterSetup& clusters,
                                        HardwareFacts& machine);

// Whether the request is possible on a machine with this number of cores, and a core of every cluster has a DSU.
[[nodiscard]] WperfStatus check_dsu_request(Hal& hal, const WperfDsuSetupRequest& request, u32 core_count);

}  // namespace wperf::driver
