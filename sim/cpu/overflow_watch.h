// SPDX-License-Identifier: BSD-3-Clause
// Knows how often the watched events can still happen in user code before a counter overflows, and to which instruction
// of a block the overflow belongs. The engine reports blocks to it and asks it after everything that may count. No
// Unicorn here.
//
// Counts of an event are known in two ways. Counts that follow from the block's contents (its loads, say) are
// subtracted when the block is entered. Counts that happen during execution (misses, cycles) are read from the model's
// counters. While no watch can run out, neither is done; catch_up() does it later.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/core_model.h"
#include "sim/cpu/event_terms.h"

namespace wperf::sim {

// The largest values of all blocks that can run. One more block adds at most these values.
struct LargestBlock {
  u32 micro_ops = 0, lines = 0;
  u64 cost = 0;  // fixed point

  // Returns true if a value grew.
  bool include(const Block& block);
};

class OverflowWatch {
 public:
  explicit OverflowWatch(const CoreModel& model) : model_(model) {}

  void arm(std::span<const EventWatch> watches);
  // Subtracts the counts of the blocks that ran since arm(). Must not be called after enter().
  void catch_up(const BlockCache& blocks);
  // After catch_up() or arm(): no watch runs out within this many cycles, rounded up to the end of a block. If an event
  // is timed(), the caller must also watch for waits for memory that end more than late_cycles() later.
  u64 safe_cycles(const LargestBlock& largest) const;
  // Like safe_cycles(), for a caller whose blocks all end within the returned cycles. Such a caller need not watch
  // waits.
  u64 safe_cycles_of_whole_blocks(const LargestBlock& largest) const;
  // Whether a wait may make a watch run out.
  bool timed() const {
    return std::any_of(watches_.begin(), watches_.end(), [](const Watch& watch) { return watch.timed; });
  }
  static u64 late_cycles(const LargestBlock& largest);

  // The block is about to be executed, and its cost has been charged. Returns true if its own counts make a watch run
  // out: see first_out.
  bool enter(Block& block) {
    const std::int32_t* const weights = weights_of(block);
    bool out = false;
    for (usize i = 0; i < watches_.size(); ++i) {
      Watch& watch = watches_[i];
      watch.left -= weights[i];
      out |= !watch.late && watch.value(0) >= watch.left;
    }
    return out;
  }
  // After enter(): the first instruction with which a watch ran out. `code` is the block's code. Marks all watches that
  // ran out.
  u32 first_out(Block& block, std::span<const u32> code);

  bool idle() const { return watches_.empty(); }

  // Returns whether the last event made a watch run out, and marks that watch. Always false if `live()` is false.
  bool live() const { return live_count_ != 0; }
  bool out() {
    for (usize i = 0; i < live_count_; ++i) {
      if (!watches_[i].late && watches_[i].is_out()) return mark();
    }
    return false;
  }
  // Like out(), but at the end of a block, including its branch. Returns the index of the instruction to which the
  // count belongs.
  std::optional<u32> out_at_end(std::span<const u32> code);
  bool may_be_out_at_end() const {
    for (usize i = 0; i < live_count_; ++i) {
      if (watches_[i].is_out()) return true;
    }
    return false;
  }
  // Whether the branch at the end of a block may make a watch run out.
  bool changed_by(BranchKind branch) const;

 private:
  using Count = std::int64_t;
  static constexpr Count kNever = Count{1} << 62;

  struct Term {
    CoreModel::Live live;
    bool charged = false;  // grows by a block's cost when the block is entered
  };
  struct Watch {
    const EventTerms* event = nullptr;
    usize source = 0;  // its index in the argument of arm()
    std::array<Term, 5> terms;
    u32 term_count = 0;
    bool late = false;  // valid only at the end of a block, because it subtracts one count from others
    bool by_taken_branch = false, by_mispredict = false;
    bool timed = false;  // counts waits
    Count base = 0;      // values of the terms when armed
    Count remaining = 0;
    Count left = 0;  // the watch runs out when its value reaches this number; lowered by the blocks' own counts

    Count value(u64 cost_to_come) const {
      Count result = -base;
      for (u32 i = 0; i < term_count; ++i) {
        const Term& term = terms[i];
        const u64 raw = *term.live.value - (term.charged ? cost_to_come : 0);
        result += static_cast<Count>(raw >> term.live.shift) * term.live.scale;
      }
      return result;
    }
    bool is_out() const { return value(0) >= left; }
  };

  bool same_events(std::span<const EventWatch> watches) const;
  void compile(std::span<const EventWatch> watches);
  Watch compile_one(const EventTerms& event) const;
  const std::int32_t* weights_of(Block& block) {
    if (block.weights_of != generation_) [[unlikely]] {
      weigh(block);
    }
    return weights_.data() + block.weights;
  }
  void weigh(Block& block);
  u64 safe_cycles_of(const Watch& watch, const LargestBlock& largest, u64 late) const;
  u64 safe_cycles(const LargestBlock& largest, u64 late) const;
  Count weight(const Watch& watch, const BlockContents& contents, u64 lines) const;
  bool mark();

  const CoreModel& model_;
  std::vector<u16> events_;     // the events given to arm()
  std::vector<Watch> watches_;  // watches with terms come first
  usize live_count_ = 0;
  u32 generation_ = 0;                 // number of the set of events; the weights of blocks depend on that set
  std::vector<std::int32_t> weights_;  // one for each block and each watch
};

}  // namespace wperf::sim
