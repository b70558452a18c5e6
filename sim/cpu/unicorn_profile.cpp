// SPDX-License-Identifier: BSD-3-Clause
// Profiling: finds the block with the operation that a profiler chose, examines the block closely, and reports the
// operation when the block has ended. While the next choice is far away, blocks take the usual path.
#include <algorithm>

#include "sim/cpu/unicorn_core.h"

namespace wperf::sim {

void UnicornCore::begin_profiling(Profiler* profiler) {
  profiler_ = profiler != nullptr && profiler->profiles(Level::user) ? profiler : nullptr;
  chosen_ = interrupting_ = false;
  passed_ = reported_ = 0;
  choice_ = profiler_ != nullptr ? profiler_->remaining() : ~u64{0};
}

// `executed`: operations of this run. Operations after the operation that made the profiler interrupt do not belong to
// the population.
void UnicornCore::end_profiling(u64 executed) {
  const u64 population = interrupting_ ? reported_ : std::max(executed, reported_);
  model_.count_samples(Signal::sample_pop, population);
  if (population > reported_) profiler_->pass(population - reported_);
  profiler_ = nullptr;
}

u64 UnicornCore::operations_run() const {
  u64 sum = 0;
  blocks_.each_that_ran([&](const Block& block) { sum += block.runs * block.contents.instructions; });
  return sum;
}

// Like OverflowWatch::safe_cycles().
u64 UnicornCore::safe_profiling_cycles() {
  passed_ = operations_run();
  if (profiler_ == nullptr) return ~u64{0} >> 2;
  const u64 margin = largest_.micro_ops + 1;
  const u64 left = choice_ - passed_;
  return left > margin ? (left - margin) / (model_.issue_width() + 1) : 0;
}

// The block is about to be executed, and `passed_` does not include it yet.
void UnicornCore::choose_in(const Block& block) {
  const u64 size = block.contents.instructions;
  if (choice_ <= passed_ + size) {
    const u64 pc = block.address + (choice_ - passed_ - 1) * 4;
    operation_ = describe_operation(pc, word_at(pc));
    operation_.begun = model_.cycles();
    mispredicts_before_ = model_.mispredicts();
    chosen_ = true;
    if (operation_.is_memory()) special_ |= kTracked;
  }
  passed_ += size;
}

// Called after a load or store was counted.
void UnicornCore::note_access(u64 address) {
  const u64 pc = registers_.read(UC_ARM64_REG_PC);
  if (chosen_ && pc == operation_.pc) add_access(operation_, address, model_.outcome());
  if (truth_.operations.kept()) truth_.operations.access(pc, address, model_.outcome());
}

// The block was executed to its end.
void UnicornCore::complete_chosen(const Block& block, u64 next) {
  if (operation_.pc == block.branch_address()) {
    settle_branch(operation_, next, model_.mispredicts() != mispredicts_before_);
    operation_.exception = (word_at(operation_.pc) & 0xffe0001f) == 0xd4000001;  // SVC
  }
  hand_over();
  // If intervals are short, further operations of the same block were chosen while this one was under way.
  while (!interrupting_ && choice_ <= passed_) {
    (void)profiler_->choose(operation_.begun);
    model_.count_samples(Signal::sample_collision, 1);
    reported_ = choice_;
    choice_ += profiler_->remaining();
  }
}

// A run ended in a fault at pc, in the current block.
void UnicornCore::fault_chosen(u64 pc) {
  if (operation_.pc > pc) {  // the instruction was not executed
    chosen_ = false;
    return;
  }
  if (operation_.pc == pc) {
    operation_.exception = true;
    operation_.retired = false;
  }
  hand_over();
}

void UnicornCore::hand_over() {
  chosen_ = false;
  if (!truth_.operations.kept()) special_ &= ~kTracked;
  settle_latency(operation_);
  if (profiler_->choose(operation_.begun)) {
    const Profiler::Completion completion = profiler_->complete(operation_);
    model_.count_samples(Signal::sample_feed, 1);
    if (completion.kept) model_.count_samples(Signal::sample_filtrate, 1);
    interrupting_ = completion.interrupt;
  } else {
    model_.count_samples(Signal::sample_collision, 1);
  }
  reported_ = choice_;
  choice_ += interrupting_ ? 0 : profiler_->remaining();
}

}  // namespace wperf::sim
