// SPDX-License-Identifier: BSD-3-Clause
// The model of one core: the engine reports blocks and accesses in the order they happen, the model turns them into
// signals and cycles. No Unicorn here. The hot calls are inline and add to counters that settle() turns into signals.
#pragma once
#include <array>
#include <cstdint>

#include "base/ints.h"
#include "sim/cpu/branch_predictor.h"
#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/core_memory.h"
#include "sim/cpu/cycle_costs.h"
#include "sim/cpu/signals.h"

namespace wperf::sim {

class Profiler;

class CoreModel {
 public:
  CoreModel(const CoreConfig& config, SharedMemorySystem& shared);

  // From here on, reports are about this level and, at EL0, this address space. Ends the fetch stream.
  void select(Level level, u32 space_id);

  // Fills in the costs of the block's contents on this core.
  void price(Block& block) const;
  void enter(const Block& block) {
    charge(block.cost);
    fetch(block);
  }
  // The same block was entered just before, so its lines are the ones fetched last.
  void enter_again(const Block& block) { charge(block.cost); }
  // enter() in steps: enter_again(), then each of its lines.
  void fetch_line(const Block& block, u32 line) {
    const u32 wait = memory_.fetch(block.address + line * kLineSize);
    if (wait != 0) [[unlikely]] {
      wait_for_fetch(wait);
    }
  }
  // The last instruction of the block was executed, and `next` follows.
  void leave(const Block& block, u64 next) {
    if (block.end == BranchKind::none) return;
    const bool taken = block.end != BranchKind::conditional || next == block.taken_target;
    count(Signal::br_taken_retired, u64{taken});
    if (!predictor_.resolve(block.end, block.branch_address(), next, taken)) mispredict(1);
  }
  void load(u64 address, u32 size) {
    const u32 wait = memory_.load(address, size);
    if (wait != 0) [[unlikely]] {
      wait_for_memory(wait);
    }
  }
  void store(u64 address, u32 size) {
    const u32 wait = memory_.store(address, size);
    if (wait != 0) [[unlikely]] {
      wait_for_memory(wait);
    }
  }
  void zero_line(u64 address) { wait_for_memory(memory_.zero_line(address)); }
  void begin_outcome() { memory_.begin_outcome(); }
  const AccessOutcome& outcome() const { return memory_.outcome(); }
  void count_samples(Signal signal, u64 amount) { count(signal, amount); }
  u64 mispredicts() const { return (*counts_)[static_cast<usize>(Signal::br_mis_pred_retired)]; }
  void exclusive_stored() { count(Signal::strex_pass_spec, 1); }

  // The block ran block.runs times from start to end.
  void retire(const Block& block) { retire(block.contents, block.runs, block.line_count); }
  // The block was entered, but only its first instructions, `executed`, were completed.
  void retire_part(const Block& block, const BlockContents& executed);
  void take_fault(bool data_abort);
  // `profiler` is null if it does not profile this level.
  void run_kernel(KernelWork work, Profiler* profiler);

  // For translated code: the models' data that it accesses directly, and functions for everything else.
  ModelParts parts();
  void fetch_lines(const Block& block) { fetch(block); }
  void mispredicted(u64 times) { count_mispredicts(times); }  // adds their counts, but not their time
  u64 space_tag() const { return memory_.space_tag(); }
  bool is_coherent() const { return memory_.is_coherent(); }

  // Fixed-point cycles spent at the selected level.
  u64 spent() const { return clock_->cycles; }
  u64 cycles() const { return (clocks_[0].cycles >> kCycleBits) + (clocks_[1].cycles >> kCycleBits); }
  // Updates the signals that are sums of others.
  void settle();
  const SignalCounts& signals() const { return signals_; }

  // A signal of user code between two calls of settle() has two parts. The first, (*value >> shift) * scale, grows
  // while a block executes; `value` is null if the signal has no such part. The second follows from the executed
  // instructions: see share_of().
  struct Live {
    const u64* value = nullptr;
    u32 shift = 0;
    std::int64_t scale = 1;
  };
  Live live(Signal signal) const;
  u64 share_of(const BlockContents& contents, u64 lines, Signal signal) const;
  u64 cost_of(const BlockContents& contents) const;  // cycles without any miss, fixed point
  u32 issue_width() const { return issue_width_; }
  // Calls back when a wait ends after at least this many fixed-point cycles of the selected level; ~0 for never.
  using AlarmCall = void (*)(void* context);
  void set_alarm(u64 cycles, AlarmCall call, void* context) { alarm_ = {cycles, call, context}; }

 private:
  // In fixed point.
  struct Clock {
    u64 cycles = 0, frontend = 0, backend = 0, backend_memory = 0;
  };

  void count(Signal signal, u64 amount) { (*counts_)[static_cast<usize>(signal)] += amount; }
  void charge(u64 cost) { clock_->cycles += cost; }
  void fetch(const Block& block) {
    for (u32 line = 0; line < block.line_count; ++line) fetch_line(block, line);
  }
  void wait_for_memory(u32 cycles);
  void wait_for_fetch(u32 cycles);
  void mispredict(u64 times) {
    clock_->cycles += times * kMispredictWait * kOneCycle;
    count_mispredicts(times);
  }
  void count_mispredicts(u64 times) {
    count(Signal::br_mis_pred_retired, times);
    count(Signal::op_spec, times * recovery_.wrong_path);
    count(Signal::stall_frontend_flush, times * recovery_.flush);
    clock_->frontend += times * recovery_.frontend * kOneCycle;
    clock_->backend += times * recovery_.backend * kOneCycle;
  }
  void retire(const BlockContents& contents, u64 runs, u64 lines);

  // The cost of a mispredicted branch: cycles, and micro-ops of the wrong path.
  struct Recovery {
    u32 frontend = kMispredictWait, backend = 0, flush = kMispredictWait, wrong_path = 0;
  };
  static Recovery recovery_of(const CoreConfig& config);

  u32 issue_width_;
  u64 issue_cost_;  // cost of one micro-op, fixed point
  Recovery recovery_;
  bool counts_extra_slot_;
  CoreMemory memory_;
  BranchPredictor predictor_;
  SignalCounts signals_;
  std::array<Clock, 2> clocks_{};
  std::array<u64, kSignalCount>* counts_;
  Clock* clock_;
  u64 exclusive_stores_ = 0;
  struct {
    u64 cycles = ~u64{0};
    AlarmCall call = nullptr;
    void* context = nullptr;
  } alarm_;
  u64 kernel_base_;        // this core's own kernel data
  u64 cold_position_ = 0;  // in the kernel's rarely used data
  u64 text_position_ = 0;  // in the kernel's code
};

}  // namespace wperf::sim
