// SPDX-License-Identifier: BSD-3-Clause
// The memory side of one core: L1 instruction and data caches, the L2 they share, the TLBs, and the path to L3 and
// DRAM. Counts the events and returns how many cycles the core waited. L1s and L2 are write-back and write-allocate,
// with exact LRU; the L2 is neither inclusive nor exclusive of the L1s. Other cores may take lines of a program that
// runs on several of them.
#pragma once
#include <algorithm>
#include <array>

#include "base/ints.h"
#include "sim/cpu/signals.h"
#include "sim/cpu/small_tlb.h"
#include "sim/cpu/translated_frame.h"
#include "sim/memory/lru_sets.h"
#include "sim/memory/shared_memory_system.h"

namespace wperf::sim {

struct CoreConfig;

// Where the data of an access came from, from near to far.
enum class DataSource : u8 { l1, l2, l3, peer_core, peer_cluster, dram };

// The outcome of the accesses of one instruction.
struct AccessOutcome {
  DataSource source = DataSource::l1;
  bool refill = false;      // in L1D
  bool last_level = false;  // the last-level cache was looked up
  bool tlb_refill = false;  // in the first-level TLB
  bool walk = false;
  bool unaligned = false;
  u32 wait = 0;         // cycles for data; a store has the full wait, although the core continues
  u32 translation = 0;  // cycles for the address translation

  void add(const AccessOutcome& other) {
    source = std::max(source, other.source);
    refill |= other.refill;
    last_level |= other.last_level;
    tlb_refill |= other.tlb_refill;
    walk |= other.walk;
    unaligned |= other.unaligned;
    wait += other.wait;
    translation += other.translation;
  }
};

class CoreMemory final : private SnoopedCaches {
 public:
  CoreMemory(const CoreConfig& config, SharedMemorySystem& shared);
  ~CoreMemory();
  CoreMemory(const CoreMemory&) = delete;
  CoreMemory& operator=(const CoreMemory&) = delete;

  // Selects the address space that is accessed from here on (0 is the kernel) and the level for which accesses count.
  void select(u32 space_id, std::array<u64, kSignalCount>& counts);

  // An access of at most 8 bytes. If it crosses a line, it counts as two accesses.
  u32 load(u64 address, u32 size) {
    count(Signal::l1d_cache_rd);
    if ((address & (size - 1)) != 0) return load_unaligned(address, size);
    return load_line(address);
  }
  u32 store(u64 address, u32 size) {
    count(Signal::l1d_cache_wr);
    if ((address & (size - 1)) != 0) return store_unaligned(address, size);
    return store_line(address);
  }
  // The outcome of data accesses since begin_outcome().
  void begin_outcome() { outcome_ = {}; }
  void fill_parts(ModelParts& parts);
  u64 space_tag() const { return space_tag_; }
  bool is_coherent() const { return coherent_; }
  const AccessOutcome& outcome() const { return outcome_; }

  u32 zero_line(u64 address);  // DC ZVA: a whole line is written, so the old contents are not read
  // Instruction fetch from the line of `address`; the caller counts l1i_cache.
  u32 fetch(u64 address) {
    if (address >> 6 == last_fetch_line_) return 0;
    return fetch_line(address);
  }

 private:
  enum class Access : u8 { load, store, fetch };

  void count(Signal signal, u64 amount = 1) { (*counts_)[static_cast<usize>(signal)] += amount; }
  u64 key_of(u64 address) const { return space_tag_ | (address >> 6 & kLineMask); }
  u32 load_line(u64 address) {
    u32 wait = 0;
    if (address >> 12 != last_data_page_) [[unlikely]] {
      wait = translate(address, Access::load);
    }
    if (!l1d_.touch(key_of(address), false)) [[unlikely]] {
      wait += miss(key_of(address), Access::load);
    }
    return wait;
  }
  u32 store_line(u64 address) {
    u32 wait = 0;
    if (address >> 12 != last_data_page_) [[unlikely]] {
      wait = translate(address, Access::store);
    }
    if (!l1d_.touch(key_of(address), true)) [[unlikely]] {
      wait += miss(key_of(address), Access::store);
    } else if (coherent_) [[unlikely]] {
      wait += own(key_of(address));
    }
    return wait;
  }
  u32 load_unaligned(u64 address, u32 size);
  u32 store_unaligned(u64 address, u32 size);
  u32 fetch_line(u64 address);
  u32 translate(u64 address, Access access) {
    if (access != Access::fetch) last_data_page_ = address >> 12;
    const u64 page = space_tag_ | (address >> 12 & kLineMask);
    return (access == Access::fetch ? l1i_tlb_ : l1d_tlb_).touch(page) ? 0 : translate_at_l2(page, access);
  }
  u32 translate_at_l2(u64 page, Access access);
  u32 miss(u64 key, Access access);
  u32 own(u64 key);
  Copy give_up(u64 line) override;
  Copy share(u64 line) override;
  void add_lines_to(u32 space, LineDirectory& directory) const override;
  u32 read_from_l2(u64 key, Access access);
  u32 share_felt(u64 key, u32 wait, Access access);
  void count_fetch_wait(Signal why, u32 wait) {
    count(why, wait);
    count(Signal::stall_frontend_membound, wait);
  }
  void note_source(Access access, DataSource source, bool last_level) {
    if (access == Access::fetch) return;
    outcome_.source = std::max(outcome_.source, source);
    outcome_.last_level |= last_level;
  }
  void write_to_l2(u64 key);
  void evict_from_l2(const LruSets::Victim& victim);
  void insert_in_l1d(u64 key, bool dirty);

  SharedMemorySystem& shared_;
  u32 core_;
  bool has_l3_;
  LruSets l1i_, l1d_, l2_;
  SmallTlb l1i_tlb_, l1d_tlb_;
  LruSets l2_tlb_;
  std::array<u64, kSignalCount>* counts_ = nullptr;
  u64 space_tag_ = 0;
  u64 last_data_page_ = ~u64{0};
  u64 last_fetch_line_ = ~u64{0};
  std::array<u64, 8> streams_{};  // lines that missed lately, one per stream of neighbours
  u32 next_stream_ = 0;
  bool coherent_ = false;     // the selected space runs on other cores too
  u64 last_owned_ = ~u64{0};  // the last line that this core may write
  AccessOutcome outcome_;
};

}  // namespace wperf::sim
