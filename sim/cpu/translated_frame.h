// SPDX-License-Identifier: BSD-3-Clause
// Shared by translated code and the engine: values that are not guest registers, the reason for the return, and the
// addresses of the models' data that translated code uses directly.
#pragma once
#include "base/ints.h"
#include "sim/cpu/code_block.h"

namespace wperf::sim {

class Translator;

// One page of a SmallTlb.
struct TlbEntry {
  u64 page = ~u64{0};
  u64 used = 0, queued = 0;  // the time of its last use, and the time of its last use that the queue has noted
  u8 older = 0, newer = 0;   // neighbours in the queue; the head's neighbours are the newest and the oldest
  u8 next_in_chain = 0;
};

// Pointers to the models' data that translated code uses. They do not change while the core exists.
struct ModelParts {
  u64* cycles = nullptr;  // fixed point, of user code
  u64* taken_branches = nullptr;
  u64 *loads = nullptr, *stores = nullptr;  // accesses
  u64* exclusive_stores = nullptr;
  u64* history = nullptr;  // the history of directions; see BranchPredictor
  u8* branches = nullptr;  // two bytes each; the first is the direction
  u8* histories = nullptr;
  u64* returns = nullptr;
  u32* return_top = nullptr;
  const u64* last_fetch_line = nullptr;
  u64* last_data_page = nullptr;
  TlbEntry* data_tlb = nullptr;  // see SmallTlb
  const u8* data_tlb_chains = nullptr;
  u64* data_tlb_now = nullptr;
  u64* l1d_tags = nullptr;  // see LruSets
  u64 l1d_ways = 0;
  u64 l1d_set_mask = 0;  // 0 if sets are not found with a mask
};

// The address and value of the last exclusive load, until an exclusive store.
struct ExclusiveMonitor {
  u64 address = ~u64{0}, value = 0;

  bool operator==(const ExclusiveMonitor&) const = default;
};

enum class TranslatedExit : u32 {
  block,      // before a block that is not linked yet; `link` is the place of the jump
  limit,      // before a block, because the limit is near
  hand_back,  // within `block`, before the instruction at pc: Unicorn has to execute it
};

// A memory access of translated code, with the region that it last hit.
struct AccessSite {
  u64 base;
  u64 size;   // bytes from base on that are valid for the whole access; 0 at first
  u64 delta;  // host address - guest address
};

// Functions that translated code calls. The first argument of each is the translator.
struct TranslatedCalls {
  bool (*prepare)(Translator*, u32 site, u64 address, u32 extent);  // false: hand back. extent: bytes | kWriteExtent
  void (*load)(Translator*, u64 address, u32 bytes, u32 count);     // `count` accesses, one after the other
  void (*store)(Translator*, u64 address, u32 bytes, u32 count);
  void (*fetch)(Translator*, const Block* block);
  void (*list)(Translator*, Block* block);
  void (*leave)(Translator*, const Block* block, u64 next);
};
inline constexpr u32 kWriteExtent = 1U << 16;

struct TranslatedFrame {
  static constexpr u32 kLinks = 1U << 18, kSites = 1U << 18;

  Translator* translator = nullptr;
  TranslatedCalls calls{};
  u64 limit = 0;         // fixed-point cycles
  u64 address = 0;       // scratch, over a call
  u16 flags = 0;         // AX as LAHF and SETO AL leave it: SF, ZF, OF are N, Z, V, and CF is the inverse of C
  u8 bounds_blocks = 0;  // no block may end after the limit
  // When a store to the newest L1D line of a set needs no call. 0: only if the line is dirty, because other cores may
  // have clean lines. 1: also if it is clean.
  u64 plain_store = 1;
  TranslatedExit exit = TranslatedExit::block;
  u32 link = Block::kNoLink;
  Block* block = nullptr;
  ExclusiveMonitor monitor;
  u64 mispredicts = 0;  // mispredictions that translated code noticed; their cycles are already counted
  // Indexed by whether the branch was taken, and by direction + 4 * counter with history + 256 * choice: see
  // BranchPredictor::learnt().
  u32 learnt[2][4 * 256]{};
  // Only the members that translated blocks use are set.
  u64 links[kLinks];  // the addresses at which blocks continue
  AccessSite sites[kSites];
};

}  // namespace wperf::sim
