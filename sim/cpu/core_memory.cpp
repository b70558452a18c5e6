// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/core_memory.h"

#include "sim/cpu/core_engine.h"
#include "sim/cpu/cycle_costs.h"

namespace wperf::sim {
namespace {
constexpr u64 kNothing = ~u64{0};
constexpr u32 kL2TlbWays = 5;

// Converts the result of a cache lookup to the state of its copy of the line.
SnoopedCaches::Copy copy_of(LruSets::Found found) {
  using Copy = SnoopedCaches::Copy;
  using Found = LruSets::Found;
  static_assert(static_cast<Found>(Copy::none) == Found::nothing && static_cast<Found>(Copy::clean) == Found::clean &&
                static_cast<Found>(Copy::dirty) == Found::dirty);
  return static_cast<Copy>(found);
}

}  // namespace

CoreMemory::CoreMemory(const CoreConfig& config, SharedMemorySystem& shared)
    : shared_(shared),
      core_(config.index),
      has_l3_(shared.cluster_count() != 0),
      l1i_(config.l1i_bytes / kLineSize, config.l1i_ways),
      l1d_(config.l1d_bytes / kLineSize, config.l1d_ways),
      l2_(config.l2_bytes / kLineSize, config.l2_ways),
      l1i_tlb_(config.l1_tlb_entries),
      l1d_tlb_(config.l1_tlb_entries),
      l2_tlb_(config.l2_tlb_entries, kL2TlbWays) {
  streams_.fill(kNothing);
  shared_.attach(core_, this);
}

CoreMemory::~CoreMemory() {
  shared_.attach(core_, nullptr);
}

void CoreMemory::select(u32 space_id, std::array<u64, kSignalCount>& counts) {
  counts_ = &counts;
  space_tag_ = line_key(space_id, 0);
  last_data_page_ = kNothing;
  last_fetch_line_ = kNothing;
  coherent_ = shared_.is_coherent(space_id);
  last_owned_ = kNothing;
}

void CoreMemory::fill_parts(ModelParts& parts) {
  parts.last_fetch_line = &last_fetch_line_;
  parts.last_data_page = &last_data_page_;
  l1d_tlb_.fill_parts(parts);
  l1d_.fill_parts(parts.l1d_tags, parts.l1d_ways, parts.l1d_set_mask);
}

u32 CoreMemory::load_unaligned(u64 address, u32 size) {
  count(Signal::unaligned_ld_spec);
  outcome_.unaligned = true;
  u32 wait = load_line(address);
  const u64 last = address + size - 1;
  if (last >> 6 != address >> 6) {
    count(Signal::l1d_cache_rd);
    wait += load_line(last);
  }
  return wait;
}

u32 CoreMemory::store_unaligned(u64 address, u32 size) {
  count(Signal::unaligned_st_spec);
  outcome_.unaligned = true;
  u32 wait = store_line(address);
  const u64 last = address + size - 1;
  if (last >> 6 != address >> 6) {
    count(Signal::l1d_cache_wr);
    wait += store_line(last);
  }
  return wait;
}

u32 CoreMemory::zero_line(u64 address) {
  count(Signal::l1d_cache_wr);
  const u32 wait = address >> 12 != last_data_page_ ? translate(address, Access::store) : 0;
  if (!l1d_.touch(key_of(address), true)) insert_in_l1d(key_of(address), true);
  if (coherent_) return wait + own(key_of(address));
  return wait;
}

u32 CoreMemory::fetch_line(u64 address) {
  u32 wait = 0;
  if (address >> 12 != last_fetch_line_ >> 6) wait = translate(address, Access::fetch);
  last_fetch_line_ = address >> 6;
  const u64 key = key_of(address);
  if (l1i_.touch(key, false)) return wait;
  count(Signal::l1i_cache_refill);
  const u32 for_line = read_from_l2(key, Access::fetch);
  count_fetch_wait(for_line == kL2Wait ? Signal::stall_frontend_l1i : Signal::stall_frontend_mem, for_line);
  l1i_.insert(key, false);
  return wait + for_line;
}

u32 CoreMemory::translate_at_l2(u64 page, Access access) {
  const bool fetch = access == Access::fetch;
  const bool store = access == Access::store;
  (fetch ? l1i_tlb_ : l1d_tlb_).insert(page);
  count(fetch ? Signal::l1i_tlb_refill : store ? Signal::l1d_tlb_refill_wr : Signal::l1d_tlb_refill_rd);
  count(store ? Signal::l2d_tlb_wr : Signal::l2d_tlb_rd);
  const bool known = l2_tlb_.touch(page, false);
  const u32 wait = known ? kL2TlbWait : kWalkWait;
  if (!fetch) {
    outcome_.tlb_refill = true;
    outcome_.walk |= !known;
    outcome_.translation += wait;
  }
  fetch ? count_fetch_wait(Signal::stall_frontend_tlb, wait) : count(Signal::stall_backend_tlb, wait);
  if (known) return wait;
  count(store ? Signal::l2d_tlb_refill_wr : Signal::l2d_tlb_refill_rd);
  count(fetch ? Signal::itlb_walk : Signal::dtlb_walk);
  l2_tlb_.insert(page, false);
  return wait;
}

u32 CoreMemory::miss(u64 key, Access access) {
  const bool store = access == Access::store;
  count(store ? Signal::l1d_cache_refill_wr : Signal::l1d_cache_refill_rd);
  outcome_.refill = true;
  const u32 wait = read_from_l2(key, access);
  insert_in_l1d(key, store);
  const u32 owned = store && coherent_ ? own(key) : 0;
  const u32 felt = share_felt(key, wait, access);
  count(store             ? Signal::stall_backend_st
        : wait == kL2Wait ? Signal::stall_backend_l1d
                          : Signal::stall_backend_mem,
        felt);
  return felt + owned;
}

// The part of a wait that the core could not hide.
u32 CoreMemory::share_felt(u64 key, u32 wait, Access access) {
  for (u64& last : streams_) {
    if (key != last + 1 && key != last - 1) continue;
    last = key;
    outcome_.wait += wait / kSequentialShare;
    return wait / kSequentialShare;
  }
  outcome_.wait += wait;
  streams_[next_stream_++ % streams_.size()] = key;
  return access == Access::store ? wait / kStoreShare : wait;
}

u32 CoreMemory::read_from_l2(u64 key, Access access) {
  const bool store = access == Access::store;
  count(store ? Signal::l2d_cache_wr : Signal::l2d_cache_rd);
  if (!has_l3_) count(Signal::ll_cache_rd);
  if (l2_.touch(key, false)) {
    note_source(access, DataSource::l2, !has_l3_);
    return kL2Wait;
  }
  count(store ? Signal::l2d_cache_refill_wr : Signal::l2d_cache_refill_rd);
  count(Signal::bus_access_rd);
  if (has_l3_) {
    count(Signal::l3d_cache_rd);
    count(Signal::ll_cache_rd);
  }
  const Served served = shared_.read_line(core_, key, store);
  evict_from_l2(l2_.insert(key, false));
  if (served == Served::l3) {
    note_source(access, DataSource::l3, true);
    return kL3Wait;
  }
  if (served == Served::peer_core) {
    note_source(access, DataSource::peer_core, true);
    return kPeerCoreWait;
  }
  const bool peer = served == Served::peer_cluster;
  note_source(access, peer ? DataSource::peer_cluster : DataSource::dram, true);
  count(Signal::ll_cache_miss_rd);
  if (has_l3_) {
    count(Signal::l3d_cache_refill);
    if (!peer) count(Signal::l3d_cache_allocate);
  }
  return peer ? kPeerClusterWait : kDramWait;
}

// A store to a line in the cache: returns the cycles until this core owns it exclusively.
u32 CoreMemory::own(u64 key) {
  if (key == last_owned_) return 0;
  last_owned_ = key;
  if (!shared_.own_line(core_, key)) return 0;
  outcome_.wait += kOwnershipWait;
  count(Signal::stall_backend_st, kOwnershipWait / kStoreShare);
  return kOwnershipWait / kStoreShare;
}

SnoopedCaches::Copy CoreMemory::give_up(u64 line) {
  if (line == last_owned_) last_owned_ = kNothing;
  const LruSets::Found instructions = l1i_.remove(line), first = l1d_.remove(line), second = l2_.remove(line);
  const LruSets::Found found = std::max({instructions, first, second});
  return copy_of(found);
}

void CoreMemory::add_lines_to(u32 space, LineDirectory& directory) const {
  for (const LruSets* cache : {&l1i_, &l1d_, &l2_}) {
    cache->each([&](u64 key, bool dirty) {
      if (key >> kLineBits == space) directory.adopt(core_, key, dirty);
    });
  }
}

SnoopedCaches::Copy CoreMemory::share(u64 line) {
  if (line == last_owned_) last_owned_ = kNothing;
  return copy_of(std::max(l1d_.clean(line), l2_.clean(line)));
}

void CoreMemory::insert_in_l1d(u64 key, bool dirty) {
  const LruSets::Victim victim = l1d_.insert(key, dirty);
  if (!victim.valid || !victim.dirty) return;
  count(Signal::l1d_cache_wb);
  count(Signal::l1d_cache_wb_victim);
  write_to_l2(victim.key);
}

void CoreMemory::write_to_l2(u64 key) {
  count(Signal::l2d_cache_wr);
  if (l2_.touch(key, true)) return;
  count(Signal::l2d_cache_allocate);
  evict_from_l2(l2_.insert(key, true));
}

void CoreMemory::evict_from_l2(const LruSets::Victim& victim) {
  if (!victim.valid || !victim.dirty) return;
  count(Signal::l2d_cache_wb);
  count(Signal::bus_access_wr);
  if (has_l3_) count(Signal::l3d_cache_wr);
  shared_.write_back_line(core_, victim.key);
}

}  // namespace wperf::sim
