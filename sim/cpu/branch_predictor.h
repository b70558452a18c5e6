// SPDX-License-Identifier: BSD-3-Clause
// Predicts where each branch goes, with the bits a mid-size core would spend: a per-branch and a global-history table
// of two-bit counters with a chooser between them for directions, a target table indexed with path history for indirect
// branches, and a return stack. Immediate branches that are not conditional are always right.
#pragma once
#include <array>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/instruction_class.h"

namespace wperf::sim {

class BranchPredictor {
 public:
  BranchPredictor();
  // The branch at `address` went to `next`; the instruction behind it is at `address` + 4. True when that was
  // predicted.
  bool resolve(BranchKind kind, u64 address, u64 next, bool taken) {
    switch (kind) {
      case BranchKind::conditional:
        return resolve_direction(address, taken);
      case BranchKind::call:
        push_return(address + 4);
        return true;
      case BranchKind::indirect_call:
        push_return(address + 4);
        return resolve_target(address, next);
      case BranchKind::indirect_jump:
        return resolve_target(address, next);
      case BranchKind::procedure_return:
        return pop_return() == next;
      case BranchKind::none:
      case BranchKind::jump:
        return true;
    }
    return true;
  }

 private:
  static constexpr u32 kCounters = 1U << 14;  // per table
  static constexpr u32 kHistoryBits = 12;
  static constexpr u32 kTargets = 1U << 11;
  static constexpr u32 kReturns = 16;

  static void train(u8& counter, bool up) {
    if (up) {
      counter = static_cast<u8>(counter + u8{counter < 3});
    } else {
      counter = static_cast<u8>(counter - u8{counter > 0});
    }
  }
  bool resolve_direction(u64 address, bool taken) {
    const u64 branch = address >> 2;
    u8& own = by_address_[branch % kCounters];
    u8& global = by_history_[(branch ^ history_ << 2) % kCounters];
    u8& choice = chooser_[branch % kCounters];
    const bool own_right = (own >= 2) == taken;
    const bool global_right = (global >= 2) == taken;
    const bool right = choice >= 2 ? global_right : own_right;
    if (own_right != global_right) train(choice, global_right);
    train(own, taken);
    train(global, taken);
    history_ = (history_ << 1 | u64{taken}) & ((1U << kHistoryBits) - 1);
    return right;
  }
  bool resolve_target(u64 address, u64 next);
  void push_return(u64 address) { returns_[return_top_++ % kReturns] = address; }
  u64 pop_return() { return returns_[--return_top_ % kReturns]; }

  std::vector<u8> by_address_, by_history_, chooser_;  // two-bit counters: 2 and 3 mean taken, or trust the history
  std::vector<u64> targets_;
  std::array<u64, kReturns> returns_{};
  u64 history_ = 0;  // directions of conditional branches, newest lowest
  u64 path_ = 0;     // targets of indirect branches, folded
  u32 return_top_ = 0;
};

}  // namespace wperf::sim
