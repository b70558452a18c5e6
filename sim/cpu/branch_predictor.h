// SPDX-License-Identifier: BSD-3-Clause
// Predicts where each branch goes, with the storage of a mid-size core: a per-branch and a global-history table of
// two-bit counters with a chooser between them for directions, a target table indexed with path history for indirect
// branches, and a return stack. Unconditional immediate branches are always predicted correctly.
#pragma once
#include <array>

#include "base/ints.h"
#include "sim/cpu/instruction_class.h"
#include "sim/cpu/translated_frame.h"

namespace wperf::sim {

class BranchPredictor {
 public:
  BranchPredictor();
  // The branch at `address` continued at `next`; the instruction after it is at `address` + 4. Returns true if that was
  // predicted.
  bool resolve(BranchKind kind, u64 address, u64 next, bool taken) {
    if (kind == BranchKind::conditional) return resolve_direction(address, taken);
    switch (kind) {
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
      default:
        return true;
    }
  }

  // For translated code, which decides directions itself. Returns the new values of a branch's direction, of its choice
  // and of the counter with history, one byte each from the lowest on. The byte above them is 1 if this was a
  // misprediction.
  static u32 learnt(u32 direction, u32 choice, u32 by_history, bool taken);
  void fill_parts(ModelParts& parts);
  static constexpr u32 kCounters = 1U << 14;  // per table
  static constexpr u32 kHistoryBits = 12;
  static constexpr u32 kReturns = 16;

 private:
  static constexpr u32 kTargets = 1U << 11;

  // A branch's own direction counter, and whether to trust the history instead of it.
  struct Branch {
    u8 direction = 1;
    u8 choice = 1;
  };

  // Written without branches, because the direction of a counter is as hard for the host to predict as for the guest.
  static u8 trained(u8 counter, bool up) {
    return static_cast<u8>(counter + (up & (counter < 3)) - (!up & (counter > 0)));
  }
  bool resolve_direction(u64 address, bool taken) {
    Branch& branch = branches_[(address >> 2) % kCounters];
    u8& by_history = histories_[(address >> 2 ^ history_ << 2) % kCounters];
    history_ = (history_ << 1 | u64{taken}) & ((1U << kHistoryBits) - 1);
    const u8 sure = taken ? 3 : 0;
    if (branch.direction == sure && by_history == sure) return true;  // nothing to learn
    return learn(branch, by_history, taken);
  }
  static bool learn(Branch& branch, u8& by_history, bool taken) {
    const bool own_right = (branch.direction >= 2) == taken;
    const bool history_right = (by_history >= 2) == taken;
    const bool right = branch.choice >= 2 ? history_right : own_right;
    const u8 choice = trained(branch.choice, history_right);
    branch.choice = own_right != history_right ? choice : branch.choice;
    branch.direction = trained(branch.direction, taken);
    by_history = trained(by_history, taken);
    return right;
  }
  bool resolve_target(u64 address, u64 next);
  void push_return(u64 address) { returns_[return_top_++ % kReturns] = address; }
  u64 pop_return() { return returns_[--return_top_ % kReturns]; }

  // Two-bit counters: 2 and 3 mean taken, or trust the history.
  std::array<Branch, kCounters> branches_{};
  std::array<u8, kCounters> histories_;
  std::array<u64, kTargets> targets_{};
  std::array<u64, kReturns> returns_{};
  u64 history_ = 0;  // directions of conditional branches, newest lowest
  u64 path_ = 0;     // targets of indirect branches, folded
  u32 return_top_ = 0;
};

}  // namespace wperf::sim
