// SPDX-License-Identifier: BSD-3-Clause
// Basic blocks as Unicorn cuts them, decoded once to the signals that each execution adds. The engine only counts how
// often each block ran; fold() multiplies its signals by that number at the end of a slice.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/instruction_class.h"

namespace wperf::sim {

struct BlockContents {
  std::array<u16, kTraitCount> traits{};
  u32 instructions = 0;
  u32 micro_ops = 0;

  bool operator==(const BlockContents&) const = default;
};

struct Block {
  static constexpr u32 kNoLink = ~0U;

  u64 address = 0;
  u32 size = 0;
  BranchKind end = BranchKind::none;  // kind of the last instruction
  // Contains DC ZVA or a store exclusive, whose accesses can only be interpreted with the pc.
  bool watch_accesses = false;
  bool uses_vectors = false;
  bool uses_monitor = false;  // uses the monitor of exclusive accesses
  bool forgotten = false;     // its page changed
  bool listed = false;        // in the cache's list of blocks that ran since the last fold
  u32 cost = 0;               // cycles without any miss, fixed point
  u64 taken_target = 0;       // for a conditional branch
  u64 runs = 0;               // since the last fold
  u32 line_count = 0;
  BlockContents contents;
  u32 weights = 0, weights_of = 0;   // used by OverflowWatch
  u32 total = 0;                     // used by BlockTotals
  const void* translated = nullptr;  // the block's host code, or null
  u32 links = kNoLink;               // translated jumps to this block: see Translator
  bool translatable = true;          // false once it is known that it cannot be translated

  u64 branch_address() const { return address + size - 4; }
};

// Summarizes `code`, which consists of whole instructions.
BlockContents sum_up(std::span<const u32> code);

class BlockCache {
 public:
  BlockCache();
  // Null if the block is not known, or is known with another size.
  Block* find(u64 address, u32 size) {
    Block* const block = slots_[slot_of(address)];
    if (block != nullptr && block->address == address && block->size == size) return block;
    return find_elsewhere(address, size);
  }
  // Adds an empty block, which the caller fills in. It replaces an older block of that address; the older block's runs
  // are kept.
  Block& add(u64 address);
  void ran(Block& block) {
    if (!block.listed) list(block);
    ++block.runs;
  }
  // Calls look(block) for every block that ran since the last fold.
  template <typename Look>
  void each_that_ran(Look look) const {
    for (Block* block : listed_) look(*block);
  }
  // Like each_that_ran(), but also resets the blocks' runs.
  template <typename Take>
  void fold(Take take) {
    for (Block* block : listed_) {
      take(*block);
      block->runs = 0;
      block->listed = false;
    }
    listed_.clear();
    for (Block* block : forgotten_) free_.push_back(block);
    forgotten_.clear();
  }
  // Forgets the blocks on the pages of this range, and calls about(block) for each. Their runs are kept until the next
  // fold.
  void forget(u64 base, u64 size, const std::function<void(Block&)>& about);
  void clear();  // to be called after a fold
  // The most recent block with this start address, or null.
  Block* find(u64 address);
  // For translated code: records that the block ran, whether it was listed or not.
  void list(Block& block);
  // The block that was last looked up, by bits 2 and up of the address; entries may be null.
  Block* const* slots() const { return slots_.data(); }
  template <typename Look>
  void each(Look look) {
    for (Block& block : blocks_) look(block);
  }
  static constexpr usize kSlots = 1U << 16;

 private:
  using Pages = std::unordered_map<u64, std::vector<Block*>>;
  static usize slot_of(u64 address) { return address >> 2 & (kSlots - 1); }
  static u64 page_of(u64 address) { return address >> 12; }
  void forget_page(Pages::iterator page, const std::function<void(Block&)>& about);
  Block* find_elsewhere(u64 address, u32 size);

  std::vector<Block*> slots_;  // last user of each slot
  std::unordered_map<u64, Block*> by_address_;
  Pages pages_;  // blocks do not cross pages
  std::deque<Block> blocks_;
  std::vector<Block*> listed_;
  std::vector<Block*> forgotten_;  // since the last fold
  std::vector<Block*> free_;
};

}  // namespace wperf::sim
