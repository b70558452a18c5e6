// SPDX-License-Identifier: BSD-3-Clause
// The slow path through a block, used while events are watched, operations are profiled, or totals are kept for a test.
// It counts the same as the usual path. It also finds the instruction with which a watched event reaches its count, and
// the value of x30 before that instruction. The block is still executed to its end: Unicorn stops only between blocks.
#include <algorithm>
#include <cstring>

#include "sim/cpu/unicorn_core.h"

namespace wperf::sim {

// With fewer safe cycles than this, watching starts at once.
constexpr u64 kWorthwhile = 50;
// If the next choice is at least this many operations away, it may pay to take the usual path again.
constexpr u64 kFarChoice = 2048;

void UnicornCore::begin_watching(std::span<const EventWatch> watches) {
  watching_ = far_ = false;
  if (watches.empty() && profiler_ == nullptr && !truth_.kept()) return;
  model_.settle();
  watch_.arm(watches);
  overflow_ = {};
  come_nearer();
}

// Called between blocks: starts watching, or sets how long watching is not needed.
void UnicornCore::come_nearer() {
  watch_.catch_up(blocks_);
  const u64 profiling = safe_profiling_cycles();
  const u64 safe = truth_.kept() ? 0 : std::min(watch_.safe_cycles(largest_), profiling);
  if (safe < kWorthwhile) return watch_from_here();
  far_ = true;
  reach_ = after(safe);
  whole_reach_ = watch_.timed() ? after(std::min(watch_.safe_cycles_of_whole_blocks(largest_), profiling)) : reach_;
  set_limit();
  watch_for_long_waits(true);
}

// The time after these cycles, or the end of the budget if that comes first.
u64 UnicornCore::after(u64 cycles) const {
  const u64 most = budget_end_ - model_.spent();
  return cycles < most >> kCycleBits ? model_.spent() + cycles * kOneCycle : budget_end_;
}

void UnicornCore::watch_for_long_waits(bool wanted) {
  if (!wanted || !watch_.timed()) return model_.set_alarm(~u64{0}, nullptr, nullptr);
  const u64 late = reach_ + OverflowWatch::late_cycles(largest_) * kOneCycle;
  model_.set_alarm(late, [](void* self) { static_cast<UnicornCore*>(self)->watch_late(); }, this);
}

void UnicornCore::watch_from_here() {
  watching_ = true;
  far_ = false;
  limit_ = 0;
  if (watch_.live()) special_ |= kWatched;
  if (truth_.operations.kept()) special_ |= kTracked;
  model_.set_alarm(~u64{0}, nullptr, nullptr);
}

// Called in the last block before limit_ if that block takes long.
void UnicornCore::watch_late() {
  watch_.catch_up(blocks_);
  passed_ = operations_run();
  call_link_ = registers_.read(UC_ARM64_REG_X30);
  watch_from_here();
}

void UnicornCore::end_watching(Stop& result) {
  const bool happened = result.reason == StopReason::kernel_call;
  if (Block* const block = current_; block != nullptr) {
    if (happened && watching_) end_block(*block, registers_.read(UC_ARM64_REG_PC));
    if (chosen_) fault_chosen(registers_.read(UC_ARM64_REG_PC));
    if (truth_.totals.kept()) {
      model_.settle();
      truth_.totals.credit(space_->id(), *block, model_.signals());
    }
  }
  watching_ = far_ = false;
  model_.set_alarm(~u64{0}, nullptr, nullptr);
  if (!overflow_.seen) return;
  // A fault may have prevented the execution of the instruction.
  const u64 pc = overflow_.block + u64{overflow_.at} * 4;
  if (current_ != nullptr && !happened && result.reason == StopReason::fault &&
      pc >= registers_.read(UC_ARM64_REG_PC)) {
    return;
  }
  settle_registers();
  result.overflowed = true;
  result.overflow_pc = pc;
  result.overflow_lr = overflow_.link.value;
  result.overflow_fp = overflow_.frame.value;
}

// Like fold() in run(), but block by block.
void UnicornCore::fold_with_totals() {
  blocks_.fold([this](Block& block) {
    model_.retire(block);
    model_.settle();
    truth_.totals.credit(space_->id(), block, model_.signals());
  });
}

std::span<const u32> UnicornCore::code_of(const Block& block) {
  const auto bytes = space_->view(block.address, block.size);
  code_.resize(bytes.size() / 4);
  if (!code_.empty()) std::memcpy(code_.data(), bytes.data(), code_.size() * 4);
  return code_;
}

void UnicornCore::enter_watched(u64 address, u32 size) {
  Block* const previous = current_;
  if (previous != nullptr) {  // the block ends here again
    end_block(*previous, address);
    if (overflow_.seen || interrupting_) {
      if (overflow_.seen) settle_registers();
      current_ = nullptr;
      return stop(StopCause::overflow);
    }
  }
  if (model_.spent() >= budget_end_) {
    current_ = nullptr;
    return stop(StopCause::budget);
  }
  if (choice_ - passed_ > kFarChoice && !truth_.kept() && watch_.idle()) {
    current_ = nullptr;
    watching_ = false;
    special_ &= ~kWatched;
    come_nearer();
    if (far_) return enter_other_block(address, size);
  }
  Block* const block = next_block(address, size);
  if (block == nullptr) return;
  const bool calls = block->end == BranchKind::call || block->end == BranchKind::indirect_call;
  if (calls && watch_.changed_by(block->end)) call_link_ = registers_.read(UC_ARM64_REG_X30);
  if (truth_.operations.kept()) truth_.operations.begin_block(address, code_of(*block), model_.mispredicts());
  choose_in(*block);
  model_.enter_again(*block);
  if (watch_.enter(*block)) note_at_start(*block, watch_.first_out(*block, code_of(*block)));
  if (block == previous) return;
  for (u32 line = 0; line < block->line_count; ++line) {
    model_.fetch_line(*block, line);
    if (!watch_.live() || !watch_.out()) continue;
    const u64 first = std::max(block->address, (block->address / kLineSize + line) * kLineSize);
    note_at_start(*block, static_cast<u32>((first - block->address) / 4));
  }
}

// The last instruction of the block was executed.
void UnicornCore::end_block(Block& block, u64 next) {
  if (chosen_) complete_chosen(block, next);
  if (truth_.operations.kept()) truth_.operations.end_block(next, model_.mispredicts());
  if (watch_.may_be_out_at_end()) {
    if (const auto at = watch_.out_at_end(code_of(block))) note_at_end(block, *at);
  }
  if (truth_.callers.kept()) {
    if (overflow_.seen) truth_.callers.overflowed(overflow_.block + u64{overflow_.at} * 4);
    truth_.callers.left(block.end, block.address + block.size, next);
  }
  const bool is_taken =
      block.end != BranchKind::none && (block.end != BranchKind::conditional || next == block.taken_target);
  if (truth_.branches.kept() && is_taken) truth_.branches.taken(block.branch_address(), next);
  if (truth_.totals.kept()) {
    model_.settle();
    truth_.totals.credit(space_->id(), block, model_.signals());
  }
}

// Called after a load or store was counted.
void UnicornCore::watch_access() {
  const auto wanted = [this](const CaughtRegister& caught) {
    return overflow_.seen && !caught.known && caught.where.from == RegisterValue::From::within;
  };
  const bool out = watch_.out();
  if (!out && !wanted(overflow_.link) && !wanted(overflow_.frame)) return;
  const auto at = static_cast<u32>((registers_.read(UC_ARM64_REG_PC) - current_->address) / 4);
  const auto take = [&](CaughtRegister& caught, u64 value) {
    if (!wanted(caught) || at < caught.where.first || at > caught.where.last) return;
    caught.value = value;
    caught.known = true;
  };
  const u64 link = registers_.read(UC_ARM64_REG_X30), frame = registers_.read(UC_ARM64_REG_X29);
  take(overflow_.link, link);
  take(overflow_.frame, frame);
  if (out && (!overflow_.seen || at < overflow_.at)) {
    overflow_ = {true, at, current_->address, {true, link, {}}, {true, frame, {}}};
  }
}

// Called before the first instruction of the block.
void UnicornCore::note_at_start(const Block& block, u32 at) {
  if (overflow_.seen && overflow_.at <= at) return;
  const auto code = code_of(block);
  // If a register's value at `at` is neither the first nor the last, and no access is in between, the first value is
  // used.
  const auto caught = [&](u32 number, u64 first) {
    const RegisterValue where = register_value_at(code, at, number);
    return CaughtRegister{where.from == RegisterValue::From::start, first, where};
  };
  overflow_ = {true, at, block.address, caught(kLinkRegister, registers_.read(UC_ARM64_REG_X30)),
               caught(kFrameRegister, registers_.read(UC_ARM64_REG_X29))};
  const auto within = [](const CaughtRegister& one) { return one.where.from == RegisterValue::From::within; };
  if (within(overflow_.link) || within(overflow_.frame)) special_ |= kWatched;
}

// Called after the block's last instruction. There the old value of a register is available only if no instruction
// wrote it since `at`. That holds for x29, because `at` is a branch, or an access after which no instruction ends a
// frame.
void UnicornCore::note_at_end(const Block& block, u32 at) {
  if (overflow_.seen && overflow_.at <= at) return;
  const auto code = code_of(block);
  const bool written = std::any_of(code.begin() + std::min<usize>(at, code.size()), code.end(),
                                   [](u32 word) { return writes_register(word, kLinkRegister); });
  const RegisterValue end{RegisterValue::From::end, 0, 0};
  overflow_ = {true, at, block.address, {written, call_link_, end}, {false, 0, end}};
}

// Called after the block's last instruction, which is the last chance to read them.
void UnicornCore::settle_registers() {
  const auto settle = [this](CaughtRegister& caught, int id) {
    if (!caught.known && caught.where.from == RegisterValue::From::end) caught.value = registers_.read(id);
    caught.known = true;
  };
  settle(overflow_.link, UC_ARM64_REG_X30);
  settle(overflow_.frame, UC_ARM64_REG_X29);
}

}  // namespace wperf::sim
