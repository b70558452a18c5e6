// SPDX-License-Identifier: BSD-3-Clause
// One simulated core: executes ARM64 code with Unicorn (loaded with dlopen on first use, never at start-up) and derives
// events from the executed code through models of caches, TLBs, branch prediction and stalls. Deterministic.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>

#include "base/ints.h"
#include "sim/cpu/signals.h"
#include "sim/cpu/truth.h"
#include "sim/memory/address_space.h"
#include "sim/memory/shared_memory_system.h"

namespace wperf::sim {

class Profiler;

struct CoreConfig {
  u32 index = 0;
  u64 seed = 1;
  u32 l1i_bytes = 64 << 10, l1i_ways = 4;
  u32 l1d_bytes = 64 << 10, l1d_ways = 4;
  u32 l2_bytes = 512 << 10, l2_ways = 8;
  u32 l1_tlb_entries = 48, l2_tlb_entries = 1280;
  u32 issue_width = 4;
  // On cores that do not count slots, a mispredicted branch is only a stall of the frontend.
  bool counts_slots = false;
  bool recovers_in_backend = false;  // most of a mispredicted branch's recovery counts as a stall of the backend
  bool counts_extra_slot = false;    // STALL_SLOT and STALL_SLOT_FRONTEND count one slot too many each cycle
  bool translates = true;            // executes most code without Unicorn; the results are the same
};

// The registers of a thread that is not on a core.
struct ThreadState {
  std::array<u64, 31> x{};
  u64 sp = 0, pc = 0, nzcv = 0;
  std::array<std::array<u64, 2>, 32> v{};
  u64 fpcr = 0, fpsr = 0, tpidr = 0;
};

// An event whose count at EL0 is watched: the run stops after `remaining` more counts, at least one.
struct EventWatch {
  u16 event = 0;
  u64 remaining = 0;
};

enum class StopReason : u8 {
  budget,       // the cycles of this slice are used up
  overflow,     // a watched event reached its count, or the profiler has an interrupt; pc is the next instruction
  kernel_call,  // SVC executed; pc is the instruction after it
  fault,        // unmapped or forbidden access, undefined instruction; pc is the faulting instruction
};
enum class FaultKind : u8 { memory, instruction, breakpoint };  // the access or instruction that failed
struct Stop {
  StopReason reason = StopReason::budget;
  FaultKind fault_kind = FaultKind::memory;
  u32 immediate = 0;  // immediate of the SVC or BRK
  u64 fault_address = 0;
  std::string text;  // fault: one clause, e.g. "read of unmapped address 0x10"

  // Set if a watched event reached its count, whatever the reason for the stop: the instruction to which the count
  // belongs, and x30 and x29 before it. If several events reached their counts: the first such instruction in the
  // block.
  bool overflowed = false;
  u64 overflow_pc = 0, overflow_lr = 0, overflow_fp = 0;
};

// Modelled kernel work, counted at EL1: its instructions, loads and stores go through the same caches, at kernel
// addresses.
enum class KernelWork : u8 { system_call, timer_tick, context_switch, overflow_interrupt };
u64 kernel_address(KernelWork work);  // the start of its code

class CoreEngine {
 public:
  CoreEngine(const CoreConfig& config, SharedMemorySystem& shared);
  ~CoreEngine();
  CoreEngine(const CoreEngine&) = delete;
  CoreEngine& operator=(const CoreEngine&) = delete;

  // Executes the thread at EL0 until about `cycle_budget` cycles have passed (it may overshoot by one basic block) or
  // it must stop. State is read before and written after. The address space must outlive the call.
  // A watched event ends the run before the first block that begins after it.
  Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches = {});
  void run_kernel(KernelWork work);

  // Sets the receiver of operations from here on, or null. The receiver must outlive the runs.
  void set_profiler(Profiler* profiler);

  // For tests and benches: from now on records how often these events happen in each block of user code. Slow.
  void keep_totals(std::span<const u16> events);
  const BlockTotals& totals() const;
  // For tests of profiling: from now on counts each operation of user code. Very slow.
  void keep_operations();
  const OperationTotals& operations() const;
  // Also records the callers when a watched event reaches its count. Slow.
  void keep_callers();
  const TrueCallers& callers() const;
  // Records a stack of the latest branches after every `interval` branches that user code took. Slow.
  void keep_branches(u64 interval);
  const BranchStacks& branches() const;

  // The fraction of all cycles that was executed without Unicorn.
  u64 translated_cycles() const;

  const SignalCounts& signals() const;  // exact whenever run() is not on the stack
  u64 cycles() const;                   // user + kernel
  // Empty, or the reason why Unicorn could not be loaded; the first run() then stops with a fault that gives the same
  // reason.
  static std::string unavailable();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::sim
