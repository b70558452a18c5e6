// SPDX-License-Identifier: BSD-3-Clause
// One Unicorn CPU that executes the threads of one address space on one core and reports blocks and accesses to the
// core's model. User code runs at EL0; SVC, faults and a used-up budget end a run with exact counts.
#pragma once
#include <string>
#include <vector>

#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/core_model.h"
#include "sim/cpu/unicorn_library.h"
#include "sim/cpu/unicorn_registers.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

class UnicornCore {
 public:
  UnicornCore(const UnicornLibrary& library, CoreModel& model);
  ~UnicornCore();
  UnicornCore(const UnicornCore&) = delete;
  UnicornCore& operator=(const UnicornCore&) = delete;

  // Empty, or why this CPU cannot run anything.
  const std::string& failure() const { return failure_; }
  // `space` is the same one each time, though it may have changed.
  Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget);

 private:
  enum class Why : u8 { nothing, budget, exception, bad_access, unaligned_pc };

  void open();
  bool enter_user_level();
  bool map_space();
  bool map_region(const Region& region);
  void add_hooks();
  void execute(u64 address);
  Stop finish(u64 pc);
  Stop finish_exception(u64 pc);
  void retire_partly(u64 pc);
  void fold();

  Block& decode(u64 address, u32 size);
  void enter_block(u64 address, u32 size);
  void read(u64 address, u32 size);
  void write(u64 address, u32 size);
  bool is_artefact(u64 address, u32 size);
  bool read_watched();
  bool write_watched(u64 address);
  u32 word_at(u64 address);

  static void on_block(uc_engine* cpu, u64 address, u32 size, void* self);
  static void on_read(uc_engine* cpu, uc_mem_type type, u64 address, int size, i64_value value, void* self);
  static void on_write(uc_engine* cpu, uc_mem_type type, u64 address, int size, i64_value value, void* self);
  static bool on_bad_access(uc_engine* cpu, uc_mem_type type, u64 address, int size, i64_value value, void* self);
  static void on_exception(uc_engine* cpu, u32 number, void* self);
  static u32 on_system_read(uc_engine* cpu, uc_arm64_reg to, const uc_arm64_cp_reg* from, void* self);
};

}  // namespace wperf::sim
