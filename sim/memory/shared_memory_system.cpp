// SPDX-License-Identifier: BSD-3-Clause
// L3: write-back, write-allocate, least recently used, neither inclusive nor exclusive of the L2s above it. A fill
// reads the 64 bytes of a line from its channel's DRAM; the eviction of a dirty line writes them back.
#include "sim/memory/shared_memory_system.h"

#include <algorithm>
#include <unordered_set>

#include "sim/memory/lru_sets.h"

namespace wperf::sim {

struct SharedMemorySystem::State {
  SharedConfig config;
  std::vector<LruSets> l3;  // per cluster; empty without a DSU
  std::vector<ClusterSignals> clusters;
  std::vector<ChannelSignals> channels;
  std::unordered_set<u32> coherent;  // by address space, as in line_key()
  LineDirectory directory{0};

  u32 cluster_of(u32 core) const { return config.cluster_size == 0 ? core : core / config.cluster_size; }
  bool keeps_coherent(u64 line) const {
    return !coherent.empty() && coherent.contains(static_cast<u32>(line >> kLineBits));
  }

  // Neighbouring lines sit on neighbouring channels.
  ChannelSignals& channel_of(u64 line) { return channels[(line & kLineMask) % channels.size()]; }
  void write_to_dram(u64 line) { channel_of(line).bytes_written += kLineSize; }

  void evict(ClusterSignals& cluster, const LruSets::Victim& victim) {
    if (!victim.valid || !victim.dirty) return;
    ++cluster.l3d_cache_wb;
    ++cluster.bus_access_wr;
    write_to_dram(victim.key);
  }
};

SharedMemorySystem::SharedMemorySystem(const SharedConfig& config) : state_(std::make_unique<State>()) {
  state_->config = config;
  state_->directory = LineDirectory(config.core_count);
  state_->channels.resize(std::max(1U, config.dmc_channels));
  if (config.cluster_size == 0) return;
  const u32 clusters = (config.core_count + config.cluster_size - 1) / config.cluster_size;
  state_->clusters.resize(clusters);
  state_->l3.assign(clusters, LruSets(config.l3_bytes / kLineSize, config.l3_ways));
}

SharedMemorySystem::~SharedMemorySystem() = default;

Served SharedMemorySystem::read_line(u32 core, u64 line, bool for_write) {
  State& state = *state_;
  if (state.keeps_coherent(line)) {
    bool others = false;
    const u32 peer = for_write ? state.directory.write(core, line, others) : state.directory.read(core, line);
    if (peer != LineDirectory::kNobody) return read_from_peer(core, peer, line, for_write);
  }
  if (state.l3.empty()) {
    state.channel_of(line).bytes_read += kLineSize;
    return Served::dram;
  }
  const u32 index = core / state.config.cluster_size;
  ClusterSignals& cluster = state.clusters[index];
  ++cluster.l3d_cache_rd;
  if (state.l3[index].touch(line, false)) return Served::l3;
  ++(for_write ? cluster.l3d_cache_refill_wr : cluster.l3d_cache_refill_rd);
  ++cluster.l3d_cache_allocate;
  ++cluster.bus_access_rd;
  state.channel_of(line).bytes_read += kLineSize;
  state.evict(cluster, state.l3[index].insert(line, false));
  return Served::dram;
}

// Another core had the line dirty. After a read the dirty line is in the L3 of that core; a writer takes it over.
Served SharedMemorySystem::read_from_peer(u32 core, u32 peer, u64 line, bool for_write) {
  State& state = *state_;
  const bool near = state.cluster_of(core) == state.cluster_of(peer);
  if (!state.l3.empty()) {
    ClusterSignals& cluster = state.clusters[state.cluster_of(core)];
    ++cluster.l3d_cache_rd;
    if (!near) {
      ++(for_write ? cluster.l3d_cache_refill_wr : cluster.l3d_cache_refill_rd);
      ++cluster.bus_access_rd;
    }
  }
  if (!for_write) write_back_line(peer, line);
  return near ? Served::peer_core : Served::peer_cluster;
}

void SharedMemorySystem::make_coherent(u32 space_id) {
  const auto space = static_cast<u32>(line_key(space_id, 0) >> kLineBits);
  if (state_->coherent.insert(space).second) state_->directory.begin(space);
}
bool SharedMemorySystem::is_coherent(u32 space_id) const {
  return state_->keeps_coherent(line_key(space_id, 0));
}
void SharedMemorySystem::attach(u32 core, SnoopedCaches* caches) {
  state_->directory.attach(core, caches);
}
bool SharedMemorySystem::own_line(u32 core, u64 line) {
  bool others = false;
  state_->directory.write(core, line, others);
  return others;
}

void SharedMemorySystem::write_back_line(u32 core, u64 line) {
  State& state = *state_;
  if (state.l3.empty()) {
    state.write_to_dram(line);
    return;
  }
  const u32 index = core / state.config.cluster_size;
  ClusterSignals& cluster = state.clusters[index];
  ++cluster.l3d_cache_wr;
  if (state.l3[index].touch(line, true)) return;
  ++cluster.l3d_cache_allocate;  // the whole line arrives, so DRAM is not read
  state.evict(cluster, state.l3[index].insert(line, true));
}

const SharedConfig& SharedMemorySystem::config() const {
  return state_->config;
}
ClusterSignals& SharedMemorySystem::cluster(u32 index) {
  return state_->clusters[index];
}
u32 SharedMemorySystem::cluster_count() const {
  return static_cast<u32>(state_->clusters.size());
}
const ChannelSignals& SharedMemorySystem::channel(u32 index) const {
  return state_->channels[index];
}

}  // namespace wperf::sim
