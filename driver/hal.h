// SPDX-License-Identifier: BSD-3-Clause
// Everything that driver/core needs from a machine. Two shells implement it: driver/nt (Windows kernel, registers of
// real silicon by driver/arm64) and sim (register models). A call may block only if its comment says so.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"

namespace wperf::driver {

// System registers of the core that the caller runs on. event_counter(n) and event_type(n) return the indexed
// registers.
enum class Register : u32 {
  midr,                     // MIDR_EL1
  id_aa64dfr0,              // ID_AA64DFR0_EL1
  pmcr,                     // PMCR_EL0; registers from this one to pmccfiltr and the counters exist only if
                            // has_counter_registers
  pmceid0,                  // PMCEID0_EL0
  pmceid1,                  // PMCEID1_EL0
  pmcntenset,               // PMCNTENSET_EL0
  pmcntenclr,               // PMCNTENCLR_EL0
  pmovsclr,                 // PMOVSCLR_EL0: read overflow flags, write 1 to clear
  pmintenset,               // PMINTENSET_EL1
  pmintenclr,               // PMINTENCLR_EL1
  pmccntr,                  // PMCCNTR_EL0: belongs to the system; it and its filter are never written
  pmccfiltr,                // PMCCFILTR_EL0
  pmsidr,                   // PMSIDR_EL1 (only if has_profiling_registers)
  pmbidr,                   // PMBIDR_EL1 (likewise)
  pmscr,                    // PMSCR_EL1; this one and the following only if pmsidr may be read
  pmsicr,                   // PMSICR_EL1
  pmsirr,                   // PMSIRR_EL1
  pmsfcr,                   // PMSFCR_EL1
  pmsevfr,                  // PMSEVFR_EL1
  pmsnevfr,                 // PMSNEVFR_EL1 (FEAT_SPEv1p2)
  pmslatfr,                 // PMSLATFR_EL1
  pmblimitr,                // PMBLIMITR_EL1
  pmbptr,                   // PMBPTR_EL1
  pmbsr,                    // PMBSR_EL1
  clusterpmcr,              // DSU cluster PMU, of the cluster of this core: CLUSTERPMCR_EL1
  clusterpmcntenset,        // CLUSTERPMCNTENSET_EL1
  clusterpmcntenclr,        // CLUSTERPMCNTENCLR_EL1
  clusterpmovsclr,          // CLUSTERPMOVSCLR_EL1
  clusterpmselr,            // CLUSTERPMSELR_EL1: selects the counter of the next two
  clusterpmxevtyper,        // CLUSTERPMXEVTYPER_EL1
  clusterpmxevcntr,         // CLUSTERPMXEVCNTR_EL1
  cntfrq,                   // CNTFRQ_EL0
  cntvct,                   // CNTVCT_EL0: the same on all cores
  event_counter_0 = 0x100,  // PMEVCNTR<n>_EL0, n = 0..30
  event_type_0 = 0x200,     // PMEVTYPER<n>_EL0, n = 0..30
};
constexpr Register event_counter(u32 n) {
  return static_cast<Register>(static_cast<u32>(Register::event_counter_0) + n);
}
constexpr Register event_type(u32 n) {
  return static_cast<Register>(static_cast<u32>(Register::event_type_0) + n);
}

// One open handle of the device, never 0; the number is never used again while the driver is loaded.
using ClientId = u64;

struct Topology {
  u32 core_count;
  u32 cluster_count;  // 0 = no DSU
  u32 cluster_size;
};

using PerCoreCall = void (*)(void* context);

// The code that the overflow interrupt of a core interrupted, for Core::on_overflow(). An interrupt may come while
// run_on_core's call runs on that core; the registers, synchronize and time_ns must work in it.
struct InterruptedContext {
  u64 pc;
  u64 lr;  // x30 at that point
  u32 process;
  u32 thread;
  u32 exception_level;  // 0 for a program
  u64 fp = 0;           // x29
  u64 sp = 0;           // 0 if unknown; the stack's frame records lie above it
  // In the kernel: the range of the stack, which can be read completely in the interrupt. Empty if unknown.
  u64 kernel_stack_low = 0, kernel_stack_high = 0;
  u64 process_start = 0;  // distinguishes the process from earlier and later processes with the same number
};

// A program's stack: the start of a walk over it, and its result.
struct UserWalkStart {
  u64 fp, sp;
  u32 most;  // frames
};
struct WalkedStack {
  u64 addresses[WPERF_MAX_STACK];  // innermost first
  u32 frames;
  bool cut;      // there are more frames
  u64 spent_ns;  // time during which the thread was held up
};

enum class DeviceAccess : u8 { read_only, read_write };

class Hal {
 public:
  virtual Topology topology() = 0;

  // On the core the caller runs on.
  virtual u64 read_register(Register reg) = 0;
  virtual void write_register(Register reg, u64 value) = 0;
  virtual void synchronize() = 0;  // ISB
  // PSB CSYNC, DSB NSH: afterwards all records of the caller's core are in memory.
  virtual void drain_profiling() = 0;

  // Runs call(context) on `core` and waits for it. May fail (core offline); then call has not run.
  [[nodiscard]] virtual WperfStatus run_on_core(u32 core, PerCoreCall call, void* context) = 0;

  // Claims programmable counters on every core; `free_mask` gets a bit for each hardware counter that could be claimed.
  [[nodiscard]] virtual WperfStatus reserve_counters(u32* free_mask) = 0;
  virtual void release_counters() = 0;

  // A periodic timer; it calls Core::on_timer() on any one core. At most one runs.
  [[nodiscard]] virtual WperfStatus start_timer(u32 period_ms) = 0;
  virtual void stop_timer() = 0;  // returns after the last on_timer has finished

  virtual u64 time_ns() = 0;  // monotonic, the same on all cores

  // Device memory. Returns null for a range that is not device memory of the requested kind. A write through a
  // read-only mapping faults.
  virtual void* map_device_memory(u64 physical, u64 size, DeviceAccess access) = 0;
  virtual void unmap_device_memory(void* mapping, u64 size) = 0;
  virtual u32 read_device(void* mapping, u64 offset) = 0;
  virtual void write_device(void* mapping, u64 offset, u32 value) = 0;

  // Takes over the counters' overflow interrupt from the system, and keeps it until the shell ends; from then on
  // interrupts call Core::on_overflow(). Called before each start of sampling. WPERF_NO_INTERRUPT if it is refused.
  [[nodiscard]] virtual WperfStatus take_interrupt() = 0;
  // The owner of the overflow interrupt (WPERF_INTERRUPT_…). Does not request the interrupt; may block.
  virtual u32 interrupt_state() = 0;

  // True if the CLUSTERPM* registers may be accessed on the caller's core. Without a DSU, reading them is an undefined
  // instruction.
  virtual bool has_cluster_registers() = 0;

  // True if the registers of the PMU may be accessed on the caller's core. Called only if ID_AA64DFR0.PMUVer reports a
  // PMU: a hypervisor may report that field and still make accesses to the registers undefined instructions.
  virtual bool has_counter_registers() = 0;

  // True if the SPE's registers may be accessed on the caller's core. Called only if ID_AA64DFR0.PMSVer reports an SPE:
  // a hypervisor may report that field and still make accesses to the registers undefined instructions.
  virtual bool has_profiling_registers() = 0;

  // Whether `client`, who is not an administrator, may see where a process executes. The process has the number
  // `process` and began at `start` (InterruptedContext::process_start). Returns false if that process has ended, even
  // if another process has its number now. Called at PASSIVE_LEVEL; no sampling interrupt ever waits for it.
  virtual bool may_observe(ClientId client, u32 process, u64 start) = 0;

  // Stacks of programs. An interrupt may not touch a program's memory. When it has interrupted a program, it asks for a
  // walk instead. The shell does the walk in the interrupted thread before the thread continues (walk_user_stack), and
  // answers with Core::on_user_walk(ticket, stack), or with Core::on_user_walk_lost(ticket) if there is no stack; one
  // answer at a time, never in an interrupt. A program's memory may take any length of time to become available, so no
  // code waits for a walk. make_user_walks() allocates room for the walks of the tickets 0 to count - 1; it returns
  // null when memory is exhausted. It is never called during a measurement.
  virtual void* make_user_walks(u32 count) = 0;
  // From now on walks use `walks`; null ends them. The shell frees the previous memory when the last walk that uses it
  // has ended. Called after end_user_walks().
  virtual void place_user_walks(void* walks) = 0;
  // Called in the interrupt. Returns false if a walk is impossible; an earlier walk of this ticket may not have ended.
  virtual bool ask_for_user_walk(u32 ticket, const UserWalkStart& start) = 0;
  // Ends all walks. Returns soon, whatever the programs do. Afterwards there are no more answers, not even for walks
  // without an answer. Called within a request.
  virtual void end_user_walks() = 0;

  // The driver's only lock; on_timer() and requests take it. Not recursive; may block; held across run_on_core, so the
  // call that run_on_core makes never takes the lock. Never held while start_timer or stop_timer is called.
  virtual void enter_critical() = 0;
  virtual void leave_critical() = 0;

  // Returns non-paged, zeroed memory, or null if memory is exhausted. A page or more is page-aligned and shares no
  // page. Never called once a session has started.
  virtual void* allocate(usize size) = 0;
  virtual void free(void* memory) = 0;

 protected:
  ~Hal() = default;  // never deleted through this interface
};

}  // namespace wperf::driver
