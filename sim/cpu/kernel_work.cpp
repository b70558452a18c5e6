// SPDX-License-Identifier: BSD-3-Clause
// Kernel work that is modelled, not executed: a fixed mix of instructions at EL1, whose fetches, loads and stores go
// through the caches of the core at kernel addresses. The mixes are assumptions of this project, as large as a simple
// system call, clock interrupt and thread switch; see README.md.
#include <vector>

#include "sim/cpu/core_model.h"
#include "sim/cpu/profiler.h"

namespace wperf::sim {
namespace {

struct Recipe {
  u32 instructions;
  u32 loads, stores;
  u32 immediate_branches, calls_through_pointers, returns;
  u32 barriers;  // ISB and DMB each
  u32 mispredicts;
  u32 text_lines;  // lines of code executed
  u32 cold_lines;  // lines of data that have not been accessed for a long time
  Signal cause;    // the exception that led here; count_ if there is none
};

constexpr Recipe kSystemCall = {600, 130, 70, 80, 4, 14, 1, 2, 48, 0, Signal::exc_svc};
constexpr Recipe kTimerTick = {2500, 560, 260, 340, 14, 55, 3, 12, 160, 16, Signal::exc_irq};
constexpr Recipe kContextSwitch = {1500, 380, 210, 170, 8, 32, 4, 8, 110, 6, Signal::count_};

constexpr Recipe kOverflowInterrupt = {400, 90, 60, 50, 4, 10, 4, 2, 36, 0, Signal::exc_irq};

constexpr u64 kTextBase = 0xfffff80000000000;  // shared by all cores
constexpr u64 kTextBytes = 512 << 10;
constexpr u64 kHotBytes = 8 << 10;    // per core: stacks, scheduler data
constexpr u64 kColdBytes = 16 << 20;  // larger than any L3; accessed line by line

constexpr const Recipe& recipe_of(KernelWork work) {
  switch (work) {
    case KernelWork::system_call:
      return kSystemCall;
    case KernelWork::timer_tick:
      return kTimerTick;
    case KernelWork::context_switch:
      return kContextSwitch;
    case KernelWork::overflow_interrupt:
      return kOverflowInterrupt;
  }
  return kSystemCall;
}

BlockContents contents_of(const Recipe& recipe) {
  BlockContents result;
  const auto set = [&](Trait trait, u32 amount) {
    result.traits[static_cast<usize>(trait)] = static_cast<u16>(amount);
  };
  const u32 indirect = recipe.calls_through_pointers + recipe.returns;
  set(Trait::load, recipe.loads);
  set(Trait::store, recipe.stores);
  set(Trait::branch_immediate, recipe.immediate_branches);
  set(Trait::branch_indirect, indirect);
  set(Trait::branch_return, recipe.returns);
  set(Trait::isb, recipe.barriers);
  set(Trait::dmb, recipe.barriers);
  set(Trait::data_processing,
      recipe.instructions - recipe.loads - recipe.stores - recipe.immediate_branches - indirect - 2 * recipe.barriers);
  result.instructions = recipe.instructions;
  result.micro_ops = recipe.instructions;
  return result;
}

constexpr u64 kEntryStep = kTextBytes / 4;
constexpr u64 kDetours = kTextBase + 3 * kEntryStep;  // rarely used code paths, shared by all work

// The operations of some kernel work that a profiler chose. Kernel work has no instructions, so the number of an
// operation decides its kind, so that each address always has the same kind.
class ChosenWork {
 public:
  ChosenWork(const Recipe& recipe, u64 entry, Profiler* profiler)
      : recipe_(recipe), entry_(entry), profiler_(profiler) {}

  // Collects the operations that the profiler chooses.
  void choose(u64 cycle, u64 issue_cost) {
    while (profiler_ != nullptr) {
      const u64 next = passed_ + profiler_->remaining();
      if (next > recipe_.instructions) break;
      Chosen chosen{slot_of(next - 1), describe(next - 1)};
      chosen.operation.begun = cycle + (next * issue_cost >> kCycleBits);
      passed_ = next;
      ++(profiler_->choose(chosen.operation.begun) ? feed_ : collisions_);
      if (feed_ != chosen_.size()) chosen_.push_back(chosen);
    }
    if (profiler_ != nullptr && passed_ != recipe_.instructions) profiler_->pass(recipe_.instructions - passed_);
  }
  bool empty() const { return chosen_.empty(); }
  // Called when the access of a slot was made.
  void access(u32 slot, u64 address, const AccessOutcome& outcome) {
    for (Chosen& chosen : chosen_) {
      if (chosen.slot == slot) add_access(chosen.operation, address, outcome);
    }
  }
  // Passes all chosen operations to the profiler. Returns how many it kept.
  u64 complete() {
    u64 kept = 0;
    for (Chosen& chosen : chosen_) {
      settle_latency(chosen.operation);
      const Profiler::Completion completion = profiler_->complete(chosen.operation);
      kept += u64{completion.kept};
      if (completion.interrupt) break;
    }
    return kept;
  }
  u64 feed() const { return feed_; }
  u64 collisions() const { return collisions_; }

 private:
  struct Chosen {
    u32 slot = 0;
    Operation operation;
  };
  static constexpr u32 kStride = 301;  // shares no factor with any number of instructions above

  // Loads have the first slots, followed by stores, branches, calls and returns; the other slots are data processing.
  u32 slot_of(u64 number) const { return static_cast<u32>(number * kStride % recipe_.instructions); }
  Operation describe(u64 number) const {
    Operation operation;
    operation.level = Level::kernel;
    operation.pc = entry_ + (number * recipe_.text_lines * kLineSize / recipe_.instructions & ~u64{3});
    const auto be = [&](Trait trait) { operation.instruction.traits |= 1U << static_cast<u32>(trait); };
    u32 slot = slot_of(number);
    const auto among = [&](u32 count) {
      if (slot < count) return true;
      slot -= count;
      return false;
    };
    if (among(recipe_.loads)) {
      be(Trait::load);
    } else if (among(recipe_.stores)) {
      be(Trait::store);
    } else if (among(recipe_.immediate_branches)) {
      operation.instruction.branch = BranchKind::conditional;
      operation.not_taken = slot % 3 == 2;
      operation.mispredicted = slot < recipe_.mispredicts;
      operation.target = operation.pc + (operation.not_taken ? 4 : kLineSize);
    } else if (among(recipe_.calls_through_pointers)) {
      operation.instruction.branch = BranchKind::indirect_call;
      operation.target = kDetours;
    } else if (among(recipe_.returns)) {
      operation.instruction.branch = BranchKind::procedure_return;
      operation.target = entry_;
    }
    return operation;
  }

  const Recipe& recipe_;
  u64 entry_;
  Profiler* profiler_;
  u64 passed_ = 0, feed_ = 0, collisions_ = 0;
  std::vector<Chosen> chosen_;
};

}  // namespace

u64 kernel_address(KernelWork work) {
  // The fourth kind of work uses the code of the detours.
  const u64 slot = work == KernelWork::overflow_interrupt ? 4 : static_cast<u64>(work);
  return kTextBase + slot * kEntryStep;
}

void CoreModel::run_kernel(KernelWork work, Profiler* profiler) {
  const Recipe& recipe = recipe_of(work);
  const BlockContents contents = contents_of(recipe);
  select(Level::kernel, 0);
  ChosenWork chosen(recipe, kernel_address(work), profiler);
  chosen.choose(cycles(), issue_cost_);
  if (recipe.cause != Signal::count_) {
    count(Signal::exc_taken, 1);
    count(recipe.cause, 1);
    count(Signal::exc_return, 1);
  }
  charge(cost_of(contents));
  retire(contents, 1, recipe.text_lines);
  // Two of three immediate branches are taken; all other branches are always taken.
  count(Signal::br_taken_retired, recipe.immediate_branches * 2 / 3 + recipe.calls_through_pointers + recipe.returns);
  mispredict(recipe.mispredicts);

  // Each kind of work has separate code with a fixed entry address. Sometimes it takes a rarely used path.
  const u64 entry = kernel_address(work);
  const u32 detour = recipe.text_lines / 8;
  for (u32 line = 0; line < recipe.text_lines; ++line) {
    const bool off_path = line >= recipe.text_lines - detour;
    if (off_path) text_position_ = (text_position_ + kLineSize) % kEntryStep;
    const u32 wait = memory_.fetch(off_path ? kDetours + text_position_ : entry + line * kLineSize);
    if (wait != 0) wait_for_fetch(wait);
  }

  u32 slot = 0;
  const auto access = [&](u64 address, bool is_store) {
    if (!chosen.empty()) begin_outcome();
    is_store ? store(address, 8) : load(address, 8);
    if (!chosen.empty()) chosen.access(slot, address, outcome());
    ++slot;
  };
  const u64 cold = kernel_base_ + (1 << 20);
  for (u32 i = 0; i < recipe.loads - recipe.cold_lines; ++i) access(kernel_base_ + i * 24 % kHotBytes, false);
  slot = recipe.loads;
  for (u32 i = 0; i < recipe.stores; ++i) access(kernel_base_ + i * 16 % kHotBytes, true);
  slot = recipe.loads - recipe.cold_lines;
  for (u32 i = 0; i < recipe.cold_lines; ++i) {
    access(cold + cold_position_, false);
    cold_position_ = (cold_position_ + 5 * kLineSize) % kColdBytes;  // not neighbours
  }
  if (profiler != nullptr) {
    count(Signal::sample_pop, recipe.instructions);
    count(Signal::sample_feed, chosen.feed());
    count(Signal::sample_collision, chosen.collisions());
    count(Signal::sample_filtrate, chosen.complete());
  }
  settle();
}

}  // namespace wperf::sim
