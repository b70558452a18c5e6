// SPDX-License-Identifier: BSD-3-Clause
// Executes the threads of one address space on one core and reports blocks and accesses to the core's model. User code
// runs at EL0; SVC, faults and a used-up budget end a run with exact counts.
#pragma once
#include <string>

#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/core_model.h"
#include "sim/cpu/unicorn_cpu.h"
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {

class UnicornCore {
 public:
  UnicornCore(const UnicornLibrary& library, CoreModel& model);
  // `space` is the same one each time, though it may have changed.
  Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget);

 private:
  enum class Why : u8 { nothing, budget, unaligned_pc, exception, bad_access };

  Stop execute(u64 pc);
  Stop kernel_call(u64 pc);
  Stop bad_access(u64 pc);
  Stop exception(u64 pc);
  Stop fault(u64 address, std::string text);
  void cut_short(u64 pc);
  u32 word_at(u64 address);
  Block& decode(u64 address, u32 size);
  Block* rewritten(Block& block);

  void enter_block(u64 address, u32 size);
  void enter_other_block(u64 address, u32 size);
  void read(u64 address, u32 size);
  void write(u64 address, u32 size);
  bool is_half(u64 address);
  Instruction current_instruction();
  void stop(Why why);

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
  AddressSpace* space_ = nullptr;
  u64 generation_ = 0, code_generation_ = 0;

  Block* current_ = nullptr;  // executing now, not yet left
  u64 limit_ = 0;             // fixed-point cycles
  u64 blocks_entered_ = 0;
  bool vectors_used_ = false;
  u32 halves_to_skip_ = 0;  // see is_half()
  u64 next_half_ = 0;
  u32 half_size_ = 0;
  Why why_ = Why::nothing;
  u32 exception_ = 0;  // Unicorn's number
  uc_mem_type bad_type_{};
  u64 bad_address_ = 0;
};

}  // namespace wperf::sim
