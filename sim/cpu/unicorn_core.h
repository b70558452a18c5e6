// SPDX-License-Identifier: BSD-3-Clause
// Executes the threads of one address space on one core and reports blocks and accesses to the core's model. User code
// runs at EL0; SVC, faults and a used-up budget end a run with exact counts.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/core_model.h"
#include "sim/cpu/link_register.h"
#include "sim/cpu/overflow_watch.h"
#include "sim/cpu/profiler.h"
#include "sim/cpu/translator.h"
#include "sim/cpu/truth.h"
#include "sim/cpu/unicorn_cpu.h"
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {

class UnicornCore {
 public:
  UnicornCore(const UnicornLibrary& library, CoreModel& model, Truth& truth, bool translates);
  // `space` is the same one in each call, though its contents may have changed.
  Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches,
           Profiler* profiler);

  u64 translated_cycles() const { return translated_ >> kCycleBits; }

 private:
  enum class StopCause : u8 { nothing, budget, unaligned_pc, exception, bad_access, overflow, translation };
  // A watched event reached its count in the block being executed.
  struct CaughtRegister {  // a register as that instruction found it
    bool known = false;
    u64 value = 0;
    RegisterValue where;  // how to get the value while it is not known
  };
  struct Overflow {
    bool seen = false;
    u32 at = 0;  // index of the instruction in the block
    u64 block = 0;
    CaughtRegister link, frame;
  };

  bool refresh();
  void forget_code(u64 base, u64 size);
  Stop execute(ThreadState& thread);
  Stop stopped(uc_err error);
  Stop kernel_call(u64 pc);
  Stop bad_access(u64 pc);
  Stop exception(u64 pc);
  Stop fault(u64 address, std::string text);
  void cut_short(u64 pc);
  u32 word_at(u64 address);
  Block& decode(u64 address, u32 size);

  void enter_block(u64 address, u32 size);
  void enter_other_block(u64 address, u32 size);
  void limit_reached(u64 address, u32 size);
  Block* begin_block(u64 address, u32 size);
  Block* begin_new_block(u64 address, u32 size);
  void execute_here(Block& block);
  Block* next_block(u64 address, u32 size);  // the same, called from other files

  // Used while no block has to be examined (unicorn_translated.cpp).
  void set_limit();
  bool wants_translation(u64 pc);
  std::optional<Stop> execute_translated(ThreadState& thread);
  bool farther();
  bool calls_kernel(ThreadState& thread);
  Block* translated_block(u64 address);
  bool is_code(u64 address) const;
  u32 cut_block(u64 address);

  // While events are watched or totals kept (unicorn_watch.cpp).
  void begin_watching(std::span<const EventWatch> watches);
  void come_nearer();
  u64 after(u64 cycles) const;
  void watch_for_long_waits(bool wanted);
  void watch_from_here();
  void watch_late();
  void end_watching(Stop& result);
  void fold_with_totals();
  void enter_watched(u64 address, u32 size);
  void end_block(Block& block, u64 next);
  void watch_access();
  void note_at_start(const Block& block, u32 at);
  void note_at_end(const Block& block, u32 at);
  void settle_registers();
  std::span<const u32> code_of(const Block& block);

  // While operations are profiled (unicorn_profile.cpp).
  void begin_profiling(Profiler* profiler);
  void end_profiling(u64 executed);
  u64 operations_run() const;
  u64 safe_profiling_cycles();
  void choose_in(const Block& block);
  void complete_chosen(const Block& block, u64 next);
  void fault_chosen(u64 pc);
  void hand_over();
  void note_access(u64 address);

  void read(u64 address, u32 size);
  void read_one(u64 address, u32 size);
  void read_specially(u64 address, u32 size);
  void write(u64 address, u32 size);
  void write_specially(u64 address, u32 size);
  bool is_half(u64 address);
  Instruction current_instruction();
  void stop(StopCause why);

  // Unicorn's callbacks; `self` is the UnicornCore.
  static void on_block(uc_engine* cpu, u64 address, u32 size, void* self);
  static void on_read(uc_engine* cpu, uc_mem_type type, u64 address, int size, int64_t value, void* self);
  static void on_write(uc_engine* cpu, uc_mem_type type, u64 address, int size, int64_t value, void* self);
  static bool on_bad_access(uc_engine* cpu, uc_mem_type type, u64 address, int size, int64_t value, void* self);
  static void on_exception(uc_engine* cpu, u32 number, void* self);
  static u32 on_system_read(uc_engine* cpu, uc_arm64_reg to, const uc_arm64_cp_reg* from, void* self);

  CoreModel& model_;
  UnicornCpu cpu_;
  UnicornRegisters registers_;
  BlockCache blocks_;
  OverflowWatch watch_;
  AddressSpace* space_ = nullptr;

  Block* current_ = nullptr;  // executing now, not yet left
  // In fixed-point cycles: the end of the budget, and the point where the usual path through blocks ends if that comes
  // first.
  u64 budget_end_ = 0;
  u64 reach_ = 0;
  u64 whole_reach_ = 0;  // like reach_, but for translated code, whose blocks may have to end before it
  u64 limit_ = 0;        // no later than the end of the usual path and the next attempt to translate
  u64 blocks_entered_ = 0;
  bool watching_ = false;  // block by block; limit_ is 0
  bool far_ = false;       // something is watched, but cannot run out before limit_
  LargestBlock largest_;
  bool translates_;
  bool registers_in_thread_ = false;  // Unicorn's registers are out of date
  std::unique_ptr<Translator> translator_;
  // The time of the next attempt to translate (fixed point), and the pause before it in cycles.
  u64 next_translation_ = 0, pause_ = 0;
  u64 translated_ = 0;        // cycles, fixed point
  Block* resumed_ = nullptr;  // Unicorn continues in the middle of this block
  bool vectors_used_ = false;
  // The monitor of exclusive accesses, as Unicorn had it when the translator's was last made equal, and whether Unicorn
  // may have changed it since.
  ExclusiveMonitor monitor_;
  bool monitor_used_ = false;
  // A number that says whether accesses need special treatment: halves to skip (is_half()), a watch for overflows on
  // each access, or an operation that is tracked.
  static constexpr u32 kWatched = 1U << 16, kTracked = 1U << 17, kStanding = kWatched | kTracked;
  u32 special_ = 0;
  u64 next_half_ = 0;
  u32 half_size_ = 0;
  StopCause stop_cause_ = StopCause::nothing;
  u32 exception_ = 0;  // Unicorn's number
  uc_mem_type bad_type_{};
  u64 bad_address_ = 0;
  Truth& truth_;
  Profiler* profiler_ = nullptr;  // null if it does not take part in this run
  u64 passed_ = 0;                // operations in the blocks that were begun; valid while watching_
  u64 reported_ = 0;              // the number of these operations that the profiler was informed of
  u64 choice_ = 0;                // the number of the operation to be chosen next, from 1
  bool chosen_ = false;           // the chosen operation is in the current block
  bool interrupting_ = false;     // the profiler requests an interrupt of the core
  u64 mispredicts_before_ = 0;    // the count at the start of the chosen operation's block
  Operation operation_;           // the chosen operation
  Overflow overflow_;
  u64 call_link_ = 0;  // x30 at the start of a block that ends in a call and may overflow there
  std::vector<u32> code_;
};

}  // namespace wperf::sim
