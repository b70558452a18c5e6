// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/hardware_facts.h"

#include "base/bits.h"
#include "driver/core/on_core.h"
#include "driver/core/pmu_registers.h"
#include "driver/core/spe_registers.h"

namespace wperf::driver {
namespace {

u32 least(u32 a, u32 b) {
  return a < b ? a : b;
}

// A shell that contradicts itself must not make the core index beyond its tables.
bool topology_is_sound(const Topology& topology) {
  if (topology.core_count == 0 || topology.core_count > WPERF_MAX_CORES) {
    return false;
  }
  if (topology.cluster_count == 0) {
    return true;
  }
  return topology.cluster_count <= WPERF_MAX_CLUSTERS && topology.cluster_size != 0 &&
         (topology.core_count - 1) / topology.cluster_size < topology.cluster_count;
}

WperfStatus read_cores(Hal& hal, HardwareFacts& machine) {
  machine.counters_total = kMaxCounters;
  machine.every_core_counts = true;
  for (u32 core = 0; core < machine.core_count; ++core) {
    CoreIdentity identity;
    if (const WperfStatus status = read_core_identity(hal, core, identity); status != WPERF_OK) {
      return status;
    }
    if (core == 0) {
      machine.first_core = identity;
    }
    machine.counters_total = least(machine.counters_total, identity.counters);
    machine.every_core_counts = machine.every_core_counts && identity.counts;
  }
  return WPERF_OK;
}

WperfStatus read_clusters(Hal& hal, HardwareFacts& machine) {
  if (machine.cluster_count == 0) {
    return WPERF_OK;
  }
  machine.dsu_counters = kMaxCounters;
  for (u32 core = 0; core < machine.core_count; core += machine.cluster_size) {
    u64 pmcr = 0;
    auto read = [&] { pmcr = hal.read_register(Register::clusterpmcr); };
    if (const WperfStatus status = run_on(hal, core, read); status != WPERF_OK) {
      return status;
    }
    machine.dsu_counters = least(machine.dsu_counters, counters_of_pmcr(pmcr));
  }
  return WPERF_OK;
}

void map_counters(HardwareFacts& machine, u32 reserved_mask) {
  machine.free_mask = reserved_mask & low_bits(machine.counters_total);
  u32 used = 0;
  for (u32 counter = 0; counter < kMaxCounters; ++counter) {
    if (((machine.free_mask >> counter) & 1) != 0) {
      machine.counter_map[used++] = static_cast<u8>(counter);
    }
  }
  for (; used < sizeof machine.counter_map; ++used) {
    machine.counter_map[used] = kNoCounter;
  }
}

}  // namespace

u32 HardwareFacts::counters_free() const {
  return count_ones(free_mask);
}

// Registers of a unit that the core lacks must not be read: that is an undefined instruction.
bool core_counts(Hal& hal) {
  return has_pmu(hal.read_register(Register::id_aa64dfr0)) && hal.has_counter_registers();
}

WperfStatus read_core_identity(Hal& hal, u32 core, CoreIdentity& identity) {
  identity = {};
  auto read = [&] {
    identity.midr = hal.read_register(Register::midr);
    identity.id_aa64dfr0 = hal.read_register(Register::id_aa64dfr0);
    identity.counts = core_counts(hal);
    if (identity.counts) {
      identity.pmceid0 = hal.read_register(Register::pmceid0);
      identity.pmceid1 = hal.read_register(Register::pmceid1);
      identity.counters = counters_of_pmcr(hal.read_register(Register::pmcr));
    }
  };
  return run_on(hal, core, read);
}

WperfStatus read_spe_identity(Hal& hal, u32 core, CoreIdentity& identity) {
  auto read = [&] {
    if (spe_version(identity.id_aa64dfr0) == 0) {
      return;
    }
    if (hal.has_profiling_registers()) {
      identity.pmsidr = hal.read_register(Register::pmsidr);
      identity.pmbidr = hal.read_register(Register::pmbidr);
    } else {
      identity.pmbidr = kPmbidrProgrammingRefused;  // if the buffer has another owner, the core reports the registers
                                                    // as not programmable
    }
  };
  if (const WperfStatus status = read_core_identity(hal, core, identity); status != WPERF_OK) {
    return status;
  }
  return run_on(hal, core, read);
}

// CNTFRQ_EL0 has 32 bits. If the firmware did not set it, it holds any value, most likely 0.
WperfStatus read_timer(Hal& hal, TimerMoment& moment) {
  moment = {};
  u64 hz = 0;
  auto read = [&] {
    hz = hal.read_register(Register::cntfrq);
    const u64 before_ns = hal.time_ns();
    hal.synchronize();  // without this the counter may be read much earlier
    moment.ticks = hal.read_register(Register::cntvct);
    moment.time_ns = before_ns + (hal.time_ns() - before_ns) / 2;
  };
  if (const WperfStatus status = run_on(hal, 0, read); status != WPERF_OK) {
    return status;
  }
  moment.hz = hz <= 0xffff'ffff ? static_cast<u32>(hz) : 0;
  return WPERF_OK;
}

WperfStatus read_hardware(Hal& hal, u32 reserved_mask, const ClusterSetup& clusters, HardwareFacts& machine) {
  Topology topology = hal.topology();
  if (clusters.known) {
    topology.cluster_count = clusters.count;
    topology.cluster_size = clusters.size;
  }
  if (!topology_is_sound(topology)) {
    return WPERF_HARDWARE_FAILED;
  }
  machine = {};
  machine.core_count = topology.core_count;
  machine.cluster_count = topology.cluster_count;
  machine.cluster_size = topology.cluster_size;
  if (const WperfStatus status = read_cores(hal, machine); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = read_clusters(hal, machine); status != WPERF_OK) {
    return status;
  }
  map_counters(machine, reserved_mask);
  return WPERF_OK;
}

WperfStatus check_dsu_request(Hal& hal, const WperfDsuSetupRequest& request, u32 core_count) {
  if (request.cluster_count == 0 && request.cluster_size == 0) {
    return WPERF_OK;
  }
  if (request.cluster_count == 0 || request.cluster_count > WPERF_MAX_CLUSTERS ||
      u64{request.cluster_count} * request.cluster_size != core_count) {
    return WPERF_BAD_ARGUMENT;
  }
  for (u32 core = 0; core < core_count; core += request.cluster_size) {
    bool there = false;
    auto look = [&] { there = hal.has_cluster_registers(); };
    if (const WperfStatus status = run_on(hal, core, look); status != WPERF_OK) {
      return status;
    }
    if (!there) {
      return WPERF_NOT_SUPPORTED;
    }
  }
  return WPERF_OK;
}

}  // namespace wperf::driver
