// SPDX-License-Identifier: BSD-3-Clause
// The memory that the cores of the machine share: an L3 per DSU cluster and the DRAM channels below.
#pragma once
#include <memory>
#include <vector>

#include "base/ints.h"
#include "sim/memory/line_directory.h"

namespace wperf::sim {

struct SharedConfig {
  u32 core_count = 8;
  u32 cluster_size = 2;     // cores per L3; 0: no DSU, L2 misses go directly to DRAM
  u64 l3_bytes = 1u << 20;  // per cluster
  u32 l3_ways = 16;
  u32 dmc_channels = 2;
};

// The counts of a DSU, per cluster (events of data/uncore.json).
struct ClusterSignals {
  u64 cycles = 0;  // the machine advances it with virtual time
  u64 l3d_cache_rd = 0, l3d_cache_wr = 0, l3d_cache_refill_rd = 0, l3d_cache_refill_wr = 0;
  u64 l3d_cache_allocate = 0, l3d_cache_wb = 0, bus_access_rd = 0, bus_access_wr = 0;
};
struct ChannelSignals {
  u64 bytes_read = 0, bytes_written = 0;
};

enum class Served : u8 { l3, peer_core, peer_cluster, dram };  // peers: the private caches of another core

class SharedMemorySystem {
 public:
  explicit SharedMemorySystem(const SharedConfig& config);
  ~SharedMemorySystem();
  // A line (64 bytes) that the L2 of `core` requests, or a dirty line that it evicted. `line` = physical line number.
  Served read_line(u32 core, u64 line, bool for_write);
  void write_back_line(u32 core, u64 line);

  // The lines of an address space are kept coherent from the first time that it runs on a second core.
  void make_coherent(u32 space_id);
  bool is_coherent(u32 space_id) const;
  void attach(u32 core, SnoopedCaches* caches);  // null detaches
  // For lines of a coherent space: the core already has the line and wants to write it. Returns true if other cores had
  // to give up the line.
  bool own_line(u32 core, u64 line);

  const SharedConfig& config() const;
  ClusterSignals& cluster(u32 index);
  u32 cluster_count() const;
  const ChannelSignals& channel(u32 index) const;

 private:
  Served read_from_peer(u32 core, u32 peer, u64 line, bool for_write);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::sim
